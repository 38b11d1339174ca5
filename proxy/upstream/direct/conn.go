package direct

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"syscall"
	"time"
)

const (
	readSize = 4 << 10 // bytes of a connection's buffer
	// grace is how long a response may take to a request that could not be sent to its end.
	grace = time.Second
)

var (
	// errUnsent says that a connection that had been used before took nothing of a request.
	errUnsent   = errors.New("direct: nothing was sent")
	errHeadSize = fmt.Errorf("direct: the head of the response has more than %d bytes", maxHead)
	errSwitched = errors.New("direct: the server switches to another protocol")
)

// conn is a connection. It is used for one request at a time.
type conn struct {
	t     *Transport
	net   net.Conn
	raw   syscall.RawConn // of net
	in    *bufio.Reader
	left  int64     // how many bytes of a head may still be read
	used  bool      // it has brought a response
	since time.Time // it waits

	interrupt func() // ends what is under way; one for all requests
}

func newConn(t *Transport, n net.Conn) *conn {
	c := &conn{t: t, net: n}
	if s, ok := n.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn()
	}
	c.in = bufio.NewReaderSize(c, readSize)
	c.interrupt = func() { _ = n.SetDeadline(time.Unix(1, 0)) }
	return c
}

// Read reads from the network, for the buffer.
func (c *conn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errHeadSize
	}
	n, err := c.net.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

func (c *conn) close() { _ = c.net.Close() }

// roundTrip sends a request and reads the head of its response.
func (c *conn) roundTrip(r *http.Request, message []byte) (*http.Response, error) {
	ctx := r.Context()
	stop := context.AfterFunc(ctx, c.interrupt)
	resp, err := c.exchange(r, message)
	if err != nil {
		stop()
		c.close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err
	}
	b := &body{c: c, ctx: ctx, stop: stop, from: resp.Body, last: resp.Close}
	resp.Body = b
	if b.from == http.NoBody {
		b.end(true)
	}
	return resp, nil
}

func (c *conn) exchange(r *http.Request, message []byte) (*http.Response, error) {
	n, err := c.net.Write(message)
	if err != nil && n == 0 && c.used && r.Context().Err() == nil {
		return nil, errUnsent
	}
	if err != nil { // a server that has refused the request without reading all of it may have said so
		_ = c.net.SetReadDeadline(time.Now().Add(grace))
	}
	resp, fault := c.head(r)
	if fault != nil && err != nil {
		return nil, err
	}
	if fault == nil {
		resp.Close = resp.Close || err != nil
		c.used = true
	}
	return resp, fault
}

// head reads the head of the response, and those of informational ones before it (RFC 9110, 15.2).
func (c *conn) head(r *http.Request) (*http.Response, error) {
	c.left = maxHead
	for {
		resp, err := http.ReadResponse(c.in, r)
		switch {
		case err != nil && c.left <= 0:
			return nil, errHeadSize
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errSwitched
		case resp.StatusCode >= 100 && resp.StatusCode < 200:
			continue
		}
		c.left = math.MaxInt64
		return resp, nil
	}
}
