package exchange

import (
	"context"
	"slices"
	"sync"
)

// lifetime is the context of an exchange. It tells those who ask itself when it is cancelled, which takes less than a child
// context for each.
type lifetime struct {
	context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	over  bool
	hooks []*hook
}

// hook is somebody who wants to be told.
type hook struct {
	of *lifetime
	f  func()
}

func (l *lifetime) begin() {
	l.Context, l.cancel = context.WithCancelCause(context.Background())
}

// end cancels it. The first cause counts.
func (l *lifetime) end(cause error) {
	l.cancel(cause)
	l.mu.Lock()
	hooks := l.hooks
	l.hooks, l.over = nil, true
	l.mu.Unlock()
	for _, h := range hooks {
		h.f()
	}
}

// OnCancel implements deadline.Canceller.
func (l *lifetime) OnCancel(f func()) (stop func() bool) {
	h := &hook{l, f}
	l.mu.Lock()
	over := l.over
	if !over {
		l.hooks = append(l.hooks, h)
	}
	l.mu.Unlock()
	if over {
		f()
	}
	return h.stop
}

// stop takes the hook off, and tells whether it was on.
func (h *hook) stop() bool {
	l := h.of
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.hooks, h)
	if i >= 0 {
		l.hooks = slices.Delete(l.hooks, i, i+1)
	}
	return i >= 0
}
