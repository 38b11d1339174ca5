package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/secret"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// A connection that cannot be made is tried again, at growing distances, as long as there is time.
const (
	mostTries  = 4
	firstPause = 100 * time.Millisecond
)

// What a person may read; the addresses stay with the operator.
var (
	errUnreachable = errors.New("the webhook could not be reached")
	errBroken      = errors.New("the webhook's answer broke off")
	errTooLong     = errors.New("the webhook's answer is too long")
	errNoAnswer    = errors.New("the webhook's answer is no JSON object")
)

// hook is the webhook of one rule.
type hook struct {
	factory *Factory
	url     string
	timeout time.Duration
	secret  secret.Value
}

// Format shows the address for every verb: fmt looks through pointers, past what keeps a secret from being printed.
func (h *hook) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, "webhook "+place(h.url)) }

// Answer asks the webhook.
func (h *hook) Answer(ctx context.Context, c *answer.Context, a resolver.Ask) (json.RawMessage, error) {
	ctx, stop := context.WithTimeout(ctx, h.timeout)
	defer stop()
	b := body(newID(), time.Now(), c, &a)
	raw, err := h.try(ctx, b)
	for tries, pause := 1, firstPause; errors.Is(err, errNothingSent) && tries < mostTries; tries, pause = tries+1, pause*2 {
		if !sleep(ctx, pause) {
			break
		}
		raw, err = h.try(ctx, b)
	}
	if err != nil {
		return nil, h.failed(ctx, err)
	}
	return reading(raw)
}

// reading tells an answer from the wish to forward.
func reading(raw []byte) (json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if wire.Validate(raw) != nil || wire.KindOf(raw) != '{' {
		return nil, errNoAnswer
	}
	if f := wire.Get(raw, "forward"); f != nil && wire.KindOf(f) == 't' && f[0] == 't' {
		return nil, answer.ErrForward
	}
	return raw, nil
}

// failed tells the operator everything, and the caller what may be seen.
func (h *hook) failed(ctx context.Context, err error) error {
	if h.factory.options.Failed != nil && !errors.Is(err, context.Canceled) {
		h.factory.options.Failed(fmt.Errorf("webhook %s: %w", place(h.url), err))
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if public, ok := errors.AsType[*publicError](err); ok {
		return public.says
	}
	return errUnreachable
}

// place is the address without what a query may hold.
func place(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "with an address that cannot be read"
	}
	return u.Scheme + "://" + u.Host + u.Path
}

// errNothingSent marks a failure before the first byte: it may be tried again without anything happening twice.
var errNothingSent = errors.New("nothing was sent")

// publicError is a failure with a text that anyone may read.
type publicError struct{ says, why error }

func (e *publicError) Error() string {
	if e.why == nil {
		return e.says.Error()
	}
	return e.says.Error() + ": " + e.why.Error()
}

func (e *publicError) Unwrap() error { return e.why }

func (h *hook) try(ctx context.Context, b []byte) ([]byte, error) {
	var sent atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	r, err := http.NewRequestWithContext(traced, http.MethodPost, h.url, bytes.NewReader(b))
	if err != nil {
		return nil, errors.New("the request cannot be made")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "mrtr-proxy")
	if !h.secret.IsZero() {
		r.Header.Set(SignatureHeader, sign(h.secret, b))
	}
	res, err := h.factory.client.Do(r)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // its text has the address with the query
		}
		if !sent.Load() && ctx.Err() == nil {
			return nil, errors.Join(errNothingSent, err)
		}
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, &publicError{says: fmt.Errorf("the webhook answered with HTTP %d", res.StatusCode)}
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxAnswerBytes+1))
	switch {
	case err != nil:
		return nil, &publicError{errBroken, err}
	case len(raw) > maxAnswerBytes:
		return nil, &publicError{says: errTooLong}
	}
	return raw, nil
}

// sleep reports whether the time has passed rather than the context ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
