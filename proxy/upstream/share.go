package upstream

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

const (
	// together is how long a change waits for others to come with it.
	together = 10 * time.Millisecond
	// viewFor is how long what the server offers is taken for granted when something changes.
	viewFor = time.Minute
)

// share is the listen that the sessions of one credential have in common. What they want and how the listens stand is
// state, which whoever changes it leaves to step; step says what to do about it, on the share's own goroutine.
//
// A listen cannot be changed. When other things are wanted a new one is opened, and once it stands it takes over from the
// one before, so that nothing is missed in between.
type share struct {
	hub    *Hub
	who    session.Digest
	cred   Credential
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{}

	// Under the Hub's lock.
	members  map[*member]struct{}
	standing int                  // members that have a stream
	wanted   map[string][]*member // by resource
	bytes    int                  // of the resources' names

	view   *View // nil before the server was asked
	viewed time.Time
	stale  bool // it has to be asked again

	current *listen // it stands
	next    *listen // it is to take over
	old     *listen // it is read on for a while
	overlap *overlap
	since   time.Time // one stands, without a break

	deaf     bool      // what the server announced may have been missed
	catching []*member // these alone may have missed something
	asleep   bool      // until the credential is accepted again
	changed  time.Time // when what is wanted changed may be acted upon
	patience patience

	differs bool // the server does not honour all that is wanted
	loud    bool // the log says that the server is not listened to
}

func newShare(h *Hub, who session.Digest, c Credential) *share {
	s := &share{hub: h, who: who, cred: c, wake: make(chan struct{}, 1), members: map[*member]struct{}{}, wanted: map[string][]*member{}, stale: true}
	s.ctx, s.cancel = context.WithCancel(h.u.closed)
	return s
}

// run acts until the share has no members any more.
func (s *share) run() {
	defer s.cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if wait := s.step(time.Now()); wait >= 0 {
			timer.Reset(wait)
		} else {
			timer.Stop()
		}
		select {
		case <-s.wake:
		case <-timer.C:
		case <-s.ctx.Done():
			return
		}
	}
}

// poke has step look at what has changed.
func (s *share) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// step does what is due, and tells in how long the next thing will be; negative is not before something changes.
func (s *share) step(now time.Time) time.Duration {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.old != nil && !now.Before(s.overlap.until) {
		s.retire()
	}
	switch {
	case s.idle():
		s.silence()
		return -1
	case s.old != nil: // one change at a time
		return s.overlap.until.Sub(now)
	case s.next != nil, s.asleep:
		return -1
	case now.Before(s.changed):
		return s.changed.Sub(now)
	}
	var wanted *filter // nil as long as the server has not been asked what it offers
	if s.view != nil {
		wanted = s.filter()
	}
	if s.current != nil && s.current.filter.equal(wanted) {
		return -1
	}
	if due := s.patience.due(wanted); now.Before(due) {
		return due.Sub(now)
	}
	s.open()
	return -1
}

// idle tells that nothing is wanted that the server offers, as far as is known.
func (s *share) idle() bool {
	if s.view == nil || s.stale && s.current == nil {
		return false
	}
	lists := s.standing > 0 && (s.view.ToolsChanged || s.view.PromptsChanged || s.view.ResourcesChanged)
	return !lists && (len(s.wanted) == 0 || !s.view.Subscribe)
}

// open opens a listen for what is wanted.
func (s *share) open() {
	l := &listen{to: s}
	var ctx context.Context
	ctx, l.stop = context.WithCancel(s.ctx)
	s.next = l
	s.hub.running.Go(func() {
		defer l.stop()
		s.follow(ctx, l)
	})
}

// follow runs a listen to its end.
func (s *share) follow(ctx context.Context, l *listen) {
	s.hub.mu.Lock()
	ask := s.view == nil || s.stale
	s.hub.mu.Unlock()
	if ask {
		view, err := s.hub.u.discover(ctx, s.cred)
		if err != nil {
			s.ended(l, err)
			return
		}
		s.hub.mu.Lock()
		s.view, s.viewed, s.stale = view, time.Now(), false
		s.hub.mu.Unlock()
	}
	s.hub.mu.Lock()
	l.filter = s.filter()
	idle := l.filter.empty()
	if idle && s.next == l {
		s.next = nil
		s.poke()
	}
	s.hub.mu.Unlock()
	if !idle {
		s.ended(l, s.hub.u.listen(ctx, s.cred, l))
	}
}

// discover is Discover with the error's own type.
func (u *Upstream) discover(ctx context.Context, c Credential) (*View, *Error) {
	view, err := u.Discover(ctx, c)
	if err == nil {
		return view, nil
	}
	e := &Error{Reason: Cut, Code: wire.CodeInternal, Message: err.Error(), cause: err}
	_ = errors.As(err, &e) // there is no other
	return nil, e
}

// filter is what is wanted, as far as the server offers it.
func (s *share) filter() *filter {
	f := &filter{}
	if s.standing > 0 {
		f.tools, f.prompts, f.resources = s.view.ToolsChanged, s.view.PromptsChanged, s.view.ResourcesChanged
	}
	if s.view.Subscribe {
		f.uris = slices.Sorted(maps.Keys(s.wanted))
	}
	return f
}
