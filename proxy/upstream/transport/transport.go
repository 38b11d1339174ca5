// Package transport sends requests to one server, and gives up on one that is silent. Over plain HTTP/1.1 it does so without
// a goroutine of its own: the caller writes the request, and reads the response as it wants it. That saves the hand-overs
// between goroutines that are half of what a small call through net/http's Transport costs. What gains nothing by it is left
// to such a Transport: TLS, HTTP/2, proxies, long bodies. Responses are parsed by net/http either way, but for the plain ones
// (plain.go).
package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/apart"
	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

const (
	// maxBody is the length of a request body in bytes that is sent before anything is read. The buffers of a connection
	// hold it, so a server that answers without having read it is heard.
	maxBody = 64 << 10
	// maxHead is how many bytes the status line and the headers of a response may have, together with all of the
	// informational responses before it.
	maxHead = 256 << 10
	// maxIdle is how many connections wait for the next request.
	maxIdle = 4096
	// idleFor is how long one waits, and sweepEvery how often it is looked whether it should.
	idleFor    = 90 * time.Second
	sweepEvery = 5 * time.Second
)

// ErrSilence says that the server was silent for too long.
var ErrSilence = errors.New("the server was silent for too long")

// Request is a POST. Nothing of it is changed, or held when Send has returned.
type Request struct {
	URL    *url.URL
	Host   string // for the Host header; empty is the URL's
	Header http.Header
	Body   []byte
}

// Response is one that has begun to come. Its Body must be read to its end or closed, by one goroutine; a connection whose
// body is closed before its end is closed with it. Of the headers of a 200, those that say nothing of its body may be left
// out. Reading fails with ErrSilence when the server is silent for too long, and with the cause of the context when that has
// ended.
type Response struct {
	*http.Response
	patience interface {
		indulge()
		hurry(d time.Duration)
	}
}

// Indulge allows any silence from now on.
func (r *Response) Indulge() { r.patience.indulge() }

// Hurry allows d for all of what is left to read, for what is not worth waiting for.
func (r *Response) Hurry(d time.Duration) { r.patience.hurry(d) }

// Transport sends requests to one server. It is safe for concurrent use.
type Transport struct {
	host    string // of the requests that it sends itself; none when empty
	addr    string // where it connects to
	dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	library http.RoundTripper

	mu     sync.Mutex
	idle   []*conn // the longest waiting first
	expiry *time.Timer
	closed bool
}

// Over makes a Transport that leaves everything to another.
func Over(library http.RoundTripper) *Transport { return &Transport{library: library} }

// New makes a Transport for the server at a URL. The library's takes what it does not, and its DialContext makes the
// connections.
func New(server *url.URL, library *http.Transport) *Transport {
	t := Over(library)
	if !supported || server.Scheme != "http" || !isPlain(server.Host) {
		return t
	}
	if library.Proxy != nil {
		if through, err := library.Proxy(&http.Request{URL: server}); err != nil || through != nil {
			return t
		}
	}
	port := server.Port()
	if port == "" {
		port = "80"
	}
	t.host, t.addr, t.dial = server.Host, net.JoinHostPort(server.Hostname(), port), library.DialContext
	return t
}

// isPlain tells a host that goes into a request as it is: neither to be encoded nor with a zone.
func isPlain(host string) bool {
	for i := range len(host) {
		if host[i] >= 0x80 || host[i] == '%' {
			return false
		}
	}
	return true
}

// Send sends a request. patience is how long the server may be silent, until the response and within it; 0 is for ever. The
// error is ErrSilence, the cause of ctx when that has ended, or that of the network.
func (t *Transport) Send(ctx context.Context, r *Request, patience time.Duration) (*Response, error) {
	if t.host == "" || r.URL.Host != t.host || r.URL.Scheme != "http" || len(r.Body) > maxBody {
		return t.leave(ctx, r, patience)
	}
	var until time.Time // of the silence before the response
	if patience > 0 {
		until = time.Now().Add(patience)
	}
	for {
		if ctx.Err() != nil {
			return nil, deadline.Cause(ctx)
		}
		c := t.take()
		if c == nil {
			var err error
			if c, err = t.connect(ctx, until); err != nil {
				return nil, err
			}
		}
		resp, err := c.roundTrip(ctx, r, until, patience)
		if !errors.Is(err, errUnsent) {
			return resp, err
		}
	}
}

// sooner is the sooner of two times, of which zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// connect makes a connection. Dialling needs a deep stack.
func (t *Transport) connect(ctx context.Context, until time.Time) (c *conn, err error) {
	apart.Do(func() {
		within, cancel := ctx, context.CancelFunc(func() {})
		if first := sooner(until, deadline.Of(ctx)); !until.IsZero() && first.Equal(until) { // or ctx ends it
			within, cancel = context.WithDeadlineCause(ctx, until, ErrSilence)
		}
		defer cancel()
		n, fault := t.dial(within, "tcp", t.addr)
		if fault == nil {
			c = newConn(t, n)
			return
		}
		if end, bounded := within.Deadline(); bounded && !time.Now().Before(end) {
			<-within.Done() // a dialler looks at the deadline itself, and may be ahead of it
		}
		if err = fault; within.Err() != nil {
			err = deadline.Cause(within)
		}
	})
	return c, err
}

// CloseIdleConnections closes those that wait, and from now on those that would.
func (t *Transport) CloseIdleConnections() {
	t.mu.Lock()
	idle := t.idle
	t.idle, t.closed = nil, true
	t.mu.Unlock()
	for _, c := range idle {
		c.close()
	}
	if l, ok := t.library.(interface{ CloseIdleConnections() }); ok {
		l.CloseIdleConnections()
	}
}
