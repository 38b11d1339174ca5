// Package direct sends requests over HTTP/1.1 without a goroutine of its own: the caller writes the request, and reads the
// response as it wants it. That saves the hand-overs between goroutines that are half of what a small call through
// net/http's Transport costs. What it cannot do, or what gains nothing by it, it leaves to such a Transport: TLS, HTTP/2,
// proxies, long bodies, methods other than POST. Responses are parsed by net/http.
package direct

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
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
	// idleFor is how long one waits.
	idleFor = 90 * time.Second
)

// Transport is an http.RoundTripper for one server. A response's body is read and closed by one goroutine; unlike with
// net/http's, the connection of a body that is closed before its end is closed with it.
type Transport struct {
	host  string // of the requests that it takes
	addr  string // where it connects to
	other *http.Transport

	mu     sync.Mutex
	idle   []*conn // the longest waiting first
	expiry *time.Timer
	closed bool
}

// New makes a Transport for the server at a URL. other takes what it does not, and its DialContext makes the connections.
// nil when the Transport would take nothing.
func New(server *url.URL, other *http.Transport) *Transport {
	if !supported || server.Scheme != "http" || !isASCII(server.Host) {
		return nil
	}
	if other.Proxy != nil {
		if through, err := other.Proxy(&http.Request{URL: server}); err != nil || through != nil {
			return nil
		}
	}
	port := server.Port()
	if port == "" {
		port = "80"
	}
	return &Transport{host: server.Host, addr: net.JoinHostPort(server.Hostname(), port), other: other}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// RoundTrip implements http.RoundTripper. When the request's context ends, the connection is closed.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodPost || r.ContentLength <= 0 || r.ContentLength > maxBody || r.URL.Host != t.host || r.URL.Scheme != "http" {
		return t.other.RoundTrip(r)
	}
	message, err := appendRequest(nil, r)
	if err != nil {
		return nil, err
	}
	for {
		c, err := t.connection(r.Context())
		if err != nil {
			return nil, err
		}
		resp, err := c.roundTrip(r, message)
		if !errors.Is(err, errUnsent) {
			return resp, err
		}
	}
}

// connection is one that waits, or a new one.
func (t *Transport) connection(ctx context.Context) (*conn, error) {
	for {
		c := t.take()
		if c == nil {
			break
		}
		if c.alive() {
			return c, nil
		}
		c.close()
	}
	n, err := t.other.DialContext(ctx, "tcp", t.addr)
	if err != nil {
		return nil, err
	}
	return newConn(t, n), nil
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
	t.other.CloseIdleConnections()
}
