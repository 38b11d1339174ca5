package upstream

import (
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// linger is how long a session without a stream is listened for all the same, for the resources it subscribed to.
const linger = 5 * time.Minute

// member is a session in the Hub: one that has a stream or has subscribed to resources.
type member struct {
	id        session.ID
	share     *share
	streams   []Stream // the newest last: it gets everything
	uris      []string // sorted, each once
	candidate *Credential
	leaving   *time.Timer // runs while there is no stream; nil before
	told      uint64      // the serial of what it was told last
}

// join gives the member of a session, under a credential that may act for it.
func (h *Hub) join(id session.ID, c Credential) (*member, error) {
	m := h.members[id]
	if m != nil {
		if h.u.audience(c) != m.share.who {
			h.move(m, c)
		}
		return m, nil
	}
	s, err := h.shareOf(c)
	if err != nil {
		return nil, err
	}
	m = &member{id: id, share: s}
	s.members[m] = struct{}{}
	h.members[id] = m
	s.refresh()
	return m, nil
}

// shareOf gives the share of a credential.
func (h *Hub) shareOf(c Credential) (*share, error) {
	who := h.u.audience(c)
	s := h.shares[who]
	if s == nil {
		if len(h.shares) >= maxListens {
			h.drop(metrics.DropOverflow)
			if h.crowded.rare(time.Now()) {
				h.u.log.Warn("so many credentials are listened under that one more is not", zap.Int("listens", maxListens))
			}
			return nil, ErrTooMany
		}
		s = newShare(h, who, c)
		h.shares[who] = s
		h.running.Go(s.run)
	}
	return s, nil
}

// move has a member listened for under another credential. What the server announces until that stands is made up for.
func (h *Hub) move(m *member, c Credential) {
	h.settle(m)
	to, err := h.shareOf(c)
	if err != nil || to == m.share {
		return // it stays where it is heard
	}
	uris, standing := m.uris, len(m.streams) > 0
	h.part(m)
	m.share, to.members[m] = to, struct{}{}
	to.want(m, uris)
	if standing {
		to.stand(1)
	}
	to.catchUp(m)
}

// settle forgets the credential that a member would rather be listened under.
func (h *Hub) settle(m *member) {
	if m.candidate != nil {
		m.candidate = nil
		h.candidates--
	}
}

// part takes a member out of its share, which ends with its last one.
func (h *Hub) part(m *member) {
	s := m.share
	s.want(m, nil)
	if len(m.streams) > 0 {
		s.stand(-1)
	}
	delete(s.members, m)
	if len(s.members) == 0 {
		delete(h.shares, s.who)
		s.cancel()
	}
}

// remove takes a member out for good.
func (h *Hub) remove(m *member) {
	h.settle(m)
	h.part(m)
	m.stay()
	delete(h.members, m.id)
	m.streams = nil
}

// leave takes a stream out. The older one of the session that is left, if any, is the newest again.
func (h *Hub) leave(id session.ID, s Stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.members[id]
	if m == nil {
		return
	}
	at := slices.Index(m.streams, s)
	if at < 0 {
		return
	}
	m.streams = slices.Delete(m.streams, at, at+1)
	if len(m.streams) == 0 {
		m.share.stand(-1)
		h.dismiss(m)
	}
}

// dismiss lets a member without a stream go: at once if it wants nothing, else later.
func (h *Hub) dismiss(m *member) {
	switch {
	case len(m.uris) == 0:
		h.remove(m)
	case m.leaving == nil:
		m.leaving = time.AfterFunc(linger, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.members[m.id] == m && len(m.streams) == 0 {
				h.remove(m)
			}
		})
	default:
		m.leaving.Reset(linger)
	}
}

// stay stops the time that a member without a stream has.
func (m *member) stay() {
	if m.leaving != nil {
		m.leaving.Stop()
	}
}
