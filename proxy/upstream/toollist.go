package upstream

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// listing is a list that the proxy asks for itself; found is set when done is closed, and nil when nothing came.
type listing struct {
	done  chan struct{}
	asked uint64 // as in a catalogue
	found *catalogue
}

// list takes part in the listing for an audience, and starts it if there is none. It is nil, and nothing is started, when
// other than seen is known by now: a list may have come since the caller looked.
func (u *Upstream) list(who audience, c *Call, seen *catalogue) *listing {
	t := &u.tools
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known(who) != seen {
		return nil
	}
	if l := t.flights[who]; l != nil {
		return l
	}
	l := &listing{done: make(chan struct{}), asked: u.lastID.Load()}
	t.flights[who] = l
	// The server may show other tools to a client that can do less, so it hears what the call's can.
	go u.flyList(l, who, &Call{Method: wire.MethodToolsList, Meta: slices.Clone(c.Meta), Credential: c.Credential})
	return l
}

// flyList lists the tools. It belongs to no caller: it ends with the Upstream, or when its time is over.
func (u *Upstream) flyList(l *listing, who audience, c *Call) {
	defer func() {
		u.tools.mu.Lock()
		delete(u.tools.flights, who)
		u.tools.mu.Unlock()
		close(l.done)
	}()
	ctx, cancel := context.WithTimeoutCause(u.closed, probeTime, transport.ErrSilence)
	defer cancel()
	w, err := u.fetchList(ctx, c, l.asked)
	if err != nil {
		u.log.Debug("the tools could not be listed: calls go up without the headers they may want", zap.Error(err))
		u.tools.keepFailure(who, w.found, time.Now())
		return
	}
	u.tools.keep(who, w.found, w.ttl, w.public, time.Now())
	l.found = w.found
}

// The bounds of a list that the proxy asks for.
const (
	maxPages     = 100
	maxListBytes = 64 << 20
)

// fetchList asks for all pages. With an error, what has come so far is in the walk.
func (u *Upstream) fetchList(ctx context.Context, c *Call, asked uint64) (*walk, error) {
	w, size := newWalk(asked), 0
	for range maxPages {
		s := &pageSink{u: u}
		if _, err := u.Attempt(ctx, c, Retry{}, s); err != nil {
			return w, err
		}
		if s.size < 0 {
			return w, errors.New(wire.MethodToolsList + ": upstream answered with an error")
		}
		size += s.size
		whole := w.add(s.page)
		if whole && s.page.next == nil {
			return w, nil
		}
		if !whole || size > maxListBytes {
			break
		}
		next := *c
		next.Params = slices.Concat([]byte(`{"cursor":`), s.page.next, []byte{'}'})
		c = &next
	}
	u.log.Warn("the list of tools is too long: of some of them it is not known which headers they want")
	return w, nil
}

// pageSink takes a page that the proxy has asked for.
type pageSink struct {
	u    *Upstream
	page toolPage
	size int // bytes; -1 is an error in place of a page
}

// Notify passes over what the server tells beside the answer.
func (s *pageSink) Notify(*wire.Scanner) {}

// Stream is for replies that go to a client.
func (s *pageSink) Stream(int64) (io.Writer, []byte, bool) { return nil, nil, false }

// Reply reads the page.
func (s *pageSink) Reply(m *wire.Scanner) error {
	if m.Kind != wire.Result {
		s.size = -1
		return nil
	}
	result := m.Result.Of(m.Bytes())
	s.size, s.page = len(result), s.u.readPage(result, time.Now())
	s.page.next = slices.Clone(s.page.next)
	return nil
}
