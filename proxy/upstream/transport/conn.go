package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

const (
	readSize = 4 << 10 // bytes of a connection's buffer
	// keepMessage is up to how many bytes of storage a connection keeps for its requests.
	keepMessage = 4 << 10
	// grace is how long a response may take to a request that could not be sent to its end.
	grace = time.Second
)

var (
	// errUnsent says that a connection that had been used before took nothing of a request.
	errUnsent   = errors.New("nothing was sent")
	errHeadSize = fmt.Errorf("the head of the response has more than %d bytes", maxHead)
	errSwitched = errors.New("the server switches to another protocol")
)

// conn is a connection. It is used for one request at a time.
type conn struct {
	t      *Transport
	net    *deadline.Conn
	direct direct // beneath net
	in     *bufio.Reader
	left   int64 // how many bytes of a head may still be read
	used   bool  // it has brought a response

	broke error // why reading has failed, but for the end

	patience time.Duration // how long the server may be silent; 0 is for ever
	until    time.Time     // the request's time is over; zero is never
	set      bool          // the deadline is set for the next reading, or for all
	last     bool          // it is set for all

	message []byte      // storage for the next request
	unsent  []byte      // the request that goes out with the next reading; nil is none
	refused error       // why it has not gone out whole
	media   string      // of the plain response before
	header  http.Header // with that, for the next one too

	interrupt func() // ends what is under way, for good; one for all requests
	cut       atomic.Bool

	since time.Time // it waits
}

func newConn(t *Transport, n net.Conn) *conn {
	c := &conn{t: t, net: deadline.Late(n)}
	if s, ok := n.(syscall.Conn); ok {
		c.direct.at(s)
	}
	c.in = bufio.NewReaderSize(c, readSize)
	c.interrupt = func() {
		c.cut.Store(true)
		_ = c.net.SetDeadline(time.Unix(1, 0))
	}
	return c
}

// Read reads from the network, for the buffer.
func (c *conn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.broke = errHeadSize
		return 0, c.broke
	}
	if !c.set && c.patience > 0 {
		_ = c.net.SetReadDeadline(sooner(time.Now().Add(c.patience), c.until))
	}
	c.set = c.last
	if c.cut.Load() { // before the deadline was set, perhaps
		c.broke = os.ErrDeadlineExceeded
		return 0, c.broke
	}
	n, err := c.read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.broke = err
	}
	return n, err
}

func (c *conn) indulge() {
	c.patience = 0
	_ = c.net.SetReadDeadline(c.until)
}

func (c *conn) hurry(d time.Duration) {
	c.set, c.last = true, true
	_ = c.net.SetReadDeadline(sooner(time.Now().Add(d), c.until))
}

func (c *conn) close() { _ = c.net.Close() }

// fault is why reading or writing failed, given what the network says.
func (c *conn) fault(ctx context.Context, err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		deadline.Due(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return deadline.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ErrSilence
	}
	return err
}

// roundTrip sends a request and reads the head of its response.
// The server may be silent until then, and for patience at a time within the response.
func (c *conn) roundTrip(ctx context.Context, r *Request, until time.Time, patience time.Duration) (*Response, error) {
	message, err := appendRequest(c.message[:0], r)
	if err != nil {
		c.t.keep(c)
		return nil, err
	}
	if cap(message) <= keepMessage {
		c.message = message
	}
	stop := deadline.OnCancel(ctx, c.interrupt)
	c.patience, c.until, c.set, c.last = patience, deadline.Of(ctx), true, false
	_ = c.net.SetDeadline(sooner(until, c.until))
	var resp *http.Response
	err = os.ErrDeadlineExceeded
	if !c.cut.Load() {
		resp, err = c.exchange(message) //nolint:bodyclose // it is the body of the Response
	}
	if err != nil {
		stop()
		c.close()
		return nil, c.fault(ctx, err)
	}
	b := &body{c: c, ctx: ctx, stop: stop, from: resp.Body, left: resp.ContentLength, last: resp.Close}
	resp.Body = b
	if resp.ContentLength == 0 || b.from == http.NoBody {
		b.end(true)
	}
	return &Response{resp, b}, nil
}

func (c *conn) exchange(message []byte) (*http.Response, error) {
	c.unsent, c.refused = message, nil
	resp, fault := c.head()
	switch {
	case fault != nil && c.refused != nil:
		return nil, c.refused
	case fault == nil:
		resp.Close = resp.Close || c.refused != nil
		c.used = true
	}
	return resp, fault
}

// read reads from the network. The request goes out with the first reading.
func (c *conn) read(p []byte) (int, error) {
	message := c.unsent
	if message == nil {
		return c.net.Read(p)
	}
	c.unsent = nil
	sent, n, err := c.direct.trip(c.net, message, p, c.used)
	if n > 0 || err != nil {
		return n, err
	}
	if message = message[sent:]; len(message) > 0 {
		if err := c.send(message, sent > 0); errors.Is(err, errUnsent) || c.cut.Load() {
			return 0, err
		}
	}
	return c.net.Read(p)
}

// send sends a request, or what is left of it.
func (c *conn) send(message []byte, begun bool) error {
	n, err := c.net.Write(message)
	if err == nil {
		return nil
	}
	if n == 0 && !begun && c.used && !errors.Is(err, os.ErrDeadlineExceeded) {
		return errUnsent
	}
	c.refused = err
	wait := grace // a server that has refused the request without reading all of it may have said so
	if errors.Is(err, os.ErrDeadlineExceeded) {
		wait = time.Millisecond // its time is over: what has come is read
	}
	c.hurry(wait)
	return err
}

// head reads the head of the response, and those of informational ones before it (RFC 9110, 15.2).
func (c *conn) head() (*http.Response, error) {
	c.left = maxHead
	if _, err := c.in.Peek(1); err != nil {
		if c.broke != nil {
			return nil, c.broke
		}
		return nil, io.ErrUnexpectedEOF
	}
	if resp := c.plain(); resp != nil {
		c.left = math.MaxInt64
		return resp, nil
	}
	for {
		resp, err := http.ReadResponse(c.in, nil)
		switch {
		case err != nil && c.broke != nil: // which the library does not tell of when it was in the middle of a line
			return nil, c.broke
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
