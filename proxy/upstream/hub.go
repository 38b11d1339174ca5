package upstream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// Hub brings what the server announces to the sessions of a route. All sessions that show the same credential share one
// listen, which is there as long as one of them wants something. It belongs to its Upstream and outlives a reload with it.
//
// One lock guards it with all its shares. Whatever is called under it never calls back.
type Hub struct {
	u *Upstream

	mu         sync.Mutex
	over       bool
	members    map[session.ID]*member
	shares     map[session.Digest]*share
	candidates int    // members that have shown a credential the server has not accepted yet
	serial     uint64 // of the last thing that was announced
	failing    seldom // to be said in the log: a listen fails
	differing  seldom // the server does not honour all of a listen
	crowded    seldom // there are too many
	running    sync.WaitGroup
}

// Stream is a stream towards a client, on which a session hears what the server announces.
type Stream interface {
	// Announce takes a notification, one line of JSON, which is shared: read only. It must not block or call the Hub.
	Announce(message []byte)
	// Over tells that nothing more will come, because the Upstream was closed. It must not block or call the Hub, and may
	// be called more than once.
	Over()
}

// ErrTooMany means that a table of the Hub has reached its bound.
var ErrTooMany = errors.New("too many at once")

const (
	// maxListens bounds the listens: each is a stream, or a connection, of its own.
	maxListens = 10_000
	// maxFilter bounds the resources in one listen, maxFilterBytes their names.
	maxFilter      = 10_000
	maxFilterBytes = 1 << 20
	// linger is how long a session without a stream is listened for all the same, for the resources it subscribed to.
	linger = 5 * time.Minute
)

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

func newHub(u *Upstream) *Hub {
	return &Hub{u: u, members: map[session.ID]*member{}, shares: map[session.Digest]*share{}}
}

// Hub is where sessions hear what the server announces.
func (u *Upstream) Hub() *Hub { return u.hub }

// Stand adds a stream to a session. resources lists what the session has subscribed to: it is called once, and must not
// call the Hub. leave takes the stream out; it must be called, and may be called twice. The credential is one that may act
// for the session. It fails with ErrTooMany.
func (h *Hub) Stand(id session.ID, c Credential, resources func() []string, s Stream) (leave func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		s.Over()
		return func() {}, nil
	}
	m, err := h.join(id, c)
	if err != nil {
		return nil, err
	}
	m.share.want(m, resources()) // what is too much now was not when the client was told
	m.streams = append(m.streams, s)
	if len(m.streams) == 1 {
		m.stay()
		m.share.stand(1)
	}
	return func() { h.leave(id, s) }, nil
}

// Want tells that a session wants to hear of other resources than before: resources lists them all, as for Stand. It fails
// with ErrTooMany when not all of them can be listened for.
func (h *Hub) Want(id session.ID, c Credential, resources func() []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.over {
		return nil
	}
	m, err := h.join(id, c)
	if err != nil {
		return err
	}
	all := m.share.want(m, resources())
	if len(m.streams) == 0 {
		h.dismiss(m)
	}
	if !all {
		return ErrTooMany
	}
	return nil
}

// Renew tells that a session shows a credential. If it is another one than it is listened under, it will be listened under
// that as soon as the server has accepted it.
func (h *Hub) Renew(id session.ID, c Credential) {
	if !h.u.o.Authorization.Forwards() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.members[id]
	if m == nil || m.share.who == c.Digest {
		return
	}
	if m.candidate == nil {
		h.candidates++
	}
	m.candidate = &c
	if h.u.Accepted(c.Digest) { // from here on the acceptance comes to accepted
		h.move(m, c)
	}
}

// Forget takes a session out that has ended.
func (h *Hub) Forget(id session.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := h.members[id]; m != nil {
		h.remove(m)
	}
}

// Offers tells what the server offers under a credential, of late: it is not asked again while it is being listened to.
// An error is always an *Error.
func (h *Hub) Offers(ctx context.Context, c Credential) (*View, error) {
	h.mu.Lock()
	s := h.shares[h.u.audience(c)]
	if s != nil && s.view != nil && time.Since(s.viewed) < viewFor {
		defer h.mu.Unlock()
		return s.view, nil
	}
	h.mu.Unlock()
	return h.u.Discover(ctx, c)
}

// accepted tells that the server has accepted a credential that it was not known to accept.
func (h *Hub) accepted(c Credential) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.shares[c.Digest]; s != nil && s.asleep {
		s.asleep = false
		s.poke()
	}
	if h.candidates == 0 {
		return
	}
	for _, m := range h.members {
		if m.candidate != nil && m.candidate.Digest == c.Digest {
			h.move(m, c)
		}
	}
}

// close ends every stream and every listen, and waits for that.
func (h *Hub) close() {
	h.mu.Lock()
	h.over = true
	for _, m := range h.members {
		for _, s := range m.streams {
			s.Over()
		}
		h.remove(m)
	}
	h.mu.Unlock()
	h.running.Wait()
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

// seldom bounds how often the log says a thing.
type seldom struct{ last time.Time }

func (s *seldom) rare(now time.Time) bool {
	if !s.last.IsZero() && now.Sub(s.last) < time.Minute {
		return false
	}
	s.last = now
	return true
}

// drop counts something announced that did not reach a session.
func (h *Hub) drop(why metrics.DropReason) {
	if h.u.o.Dropped != nil {
		h.u.o.Dropped(metrics.Downstream, why)
	}
}
