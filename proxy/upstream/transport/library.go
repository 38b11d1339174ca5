package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// leave leaves a request to the library's transport.
func (t *Transport) leave(ctx context.Context, r *Request, patience time.Duration) (*Response, error) {
	body, header := bytes.Clone(r.Body), r.Header.Clone() // the library may still read them when Send has returned
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	again := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	first, _ := again() // of a type that the library knows: it sends headers and body together
	s := watch(ctx, patience)
	resp, err := t.library.RoundTrip((&http.Request{ //nolint:bodyclose // it is the body of the Response
		Method: http.MethodPost, URL: r.URL, Host: host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: first, GetBody: again, ContentLength: int64(len(body)),
	}).WithContext(s.ctx))
	if err != nil {
		err = s.fault(err)
		s.stop()
		return nil, err
	}
	s.heard()
	resp.Body = &watched{resp.Body, s}
	return &Response{resp, s}, nil
}

// watched is a body whose every byte is a sign of life.
type watched struct {
	io.ReadCloser
	s *silence
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	w.s.heard()
	switch {
	case errors.Is(err, io.EOF):
		w.s.stop()
	case err != nil:
		err = w.s.fault(err)
	}
	return n, err
}

func (w *watched) Close() error {
	w.s.stop()
	return w.ReadCloser.Close()
}

// silence ends a request whose server says nothing for too long. A sign of life is one atomic store: the timer looks when
// it fires and goes on for what is left.
type silence struct {
	ctx    context.Context // the request's
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	timer *time.Timer // nil when there is no limit

	began time.Time
	last  atomic.Int64 // the last sign of life, since began
	limit int64
	final bool // the limit is for all that is left: signs of life do not count
}

// watch makes the context of a request. stop must be called.
func watch(ctx context.Context, limit time.Duration) *silence {
	s := &silence{began: time.Now(), limit: int64(limit)}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	if limit > 0 {
		s.look()
	}
	return s
}

func (s *silence) heard() { s.last.Store(int64(time.Since(s.began))) }

// fault is why the request failed, given what the library says.
func (s *silence) fault(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	return err
}

// look is what the timer does, and what sets it.
func (s *silence) look() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	left := time.Duration(s.limit - int64(time.Since(s.began)))
	if !s.final {
		left += time.Duration(s.last.Load())
	}
	switch {
	case left <= 0:
		s.cancel(ErrSilence)
	case s.timer == nil:
		s.timer = time.AfterFunc(left, s.look)
	default:
		s.timer.Reset(left)
	}
}

func (s *silence) indulge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = math.MaxInt64 / 4
	if s.timer != nil {
		s.timer.Stop()
	}
}

func (s *silence) hurry(d time.Duration) {
	s.mu.Lock()
	s.limit, s.final = int64(time.Since(s.began)+d), true
	s.mu.Unlock()
	s.look()
}

// stop ends the request's context, and with it whatever of the request is still under way.
func (s *silence) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel(nil)
	if s.timer != nil {
		s.timer.Stop()
	}
}
