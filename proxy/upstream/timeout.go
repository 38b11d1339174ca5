package upstream

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// errSilence is the cause of an attempt's context when the server said nothing for too long.
var errSilence = errors.New("the server was silent for too long")

// patience is how long the server may be silent on a method; 0 is for ever.
func (o *Options) patience(method string) time.Duration {
	if wire.MayAsk(method) {
		return o.CallTimeout
	}
	return o.Timeout
}

// silence ends an attempt whose server says nothing for too long. A sign of life is one atomic store: the timer looks when
// it fires and goes on for what is left.
type silence struct {
	ctx    context.Context // the attempt's
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer // nil when there is no limit

	began time.Time
	last  atomic.Int64 // the last sign of life, since began
	limit int64
	over  bool
}

// watchSilence makes the context of an attempt. stop must be called.
func watchSilence(ctx context.Context, limit time.Duration) *silence {
	s := &silence{began: time.Now(), limit: int64(limit)}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if limit > 0 {
		s.look()
	}
	return s
}

// heard notes a sign of life.
func (s *silence) heard() { s.last.Store(int64(time.Since(s.began))) }

// look is what the timer does, and what sets it.
func (s *silence) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	left := time.Duration(s.limit + s.last.Load() - int64(time.Since(s.began)))
	switch {
	case left <= 0:
		s.cancel(errSilence)
	case s.timer == nil:
		s.timer = time.AfterFunc(left, s.look)
	default:
		s.timer.Reset(left)
	}
}

// indulge allows any silence from now on.
func (s *silence) indulge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = math.MaxInt64 / 4
	if s.timer != nil {
		s.timer.Stop()
	}
}

// hurry allows only d more, for what is not worth waiting for.
func (s *silence) hurry(d time.Duration) {
	s.heard()
	s.mu.Lock()
	s.limit = int64(d)
	s.mu.Unlock()
	s.look()
}

// stop ends the attempt's context, and with it whatever of the attempt is still under way.
func (s *silence) stop() {
	s.mu.Lock()
	s.over = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.cancel(nil)
}
