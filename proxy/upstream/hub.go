package upstream

import (
	"context"
	"errors"
	"sync"
	"time"

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
)

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
