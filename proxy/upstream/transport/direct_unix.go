//go:build unix

package transport

import (
	"os"
	"syscall"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

const supported = true

// direct goes to a connection beneath Go's, which looks for data each time before it waits for some.
type direct struct {
	raw       syscall.RawConn // nil where there is none
	look, run func(fd uintptr) bool

	one   [1]byte
	quiet bool

	// Of the trip that is under way.
	before  bool // the connection has been used before
	message []byte
	into    []byte
	phase   phase
	sent, n int
	err     error
}

// phase is how far a trip has come.
type phase uint8

const (
	begun   phase = iota
	sentOut       // the message has gone out
	over          // there is nothing more to wait for
)

func (d *direct) at(c syscall.Conn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	d.raw = raw
	d.look = func(fd uintptr) bool {
		n, _, err := syscall.Recvfrom(int(fd), d.one[:], syscall.MSG_PEEK) // which waits for nothing, on a socket of Go's
		d.quiet = n <= 0 && (err == syscall.EAGAIN || err == syscall.EWOULDBLOCK)
		return true
	}
	d.run = d.step
}

// trip looks whether the server has said anything or closed the connection, sends a message, and waits for the first bytes
// that come in, all in one wait: what comes after the look ends it. After the look it sends nothing where there was something:
// on a connection that was used before it says errUnsent. That, what takes longer, and a deadline it leaves to the caller:
// there are no bytes then, and sent tells how many went out.
func (d *direct) trip(c *deadline.Conn, message, into []byte, before bool) (sent, n int, err error) {
	if d.raw == nil {
		if before {
			err = errUnsent
		}
		return 0, 0, err
	}
	d.message, d.into, d.before, d.phase, d.sent, d.n, d.err = message, into, before, begun, 0, 0, nil
	if err := d.raw.Read(d.run); err != nil && d.phase == begun && c.Arm() == nil { // by a deadline of the request before
		_ = d.raw.Read(d.run)
	}
	d.message, d.into = nil, nil
	return d.sent, d.n, d.err
}

// step does what can be done without waiting, and tells whether there is nothing to wait for.
func (d *direct) step(fd uintptr) bool {
	if d.phase == begun {
		d.phase = over
		if d.look(fd); !d.quiet { // no wait tells of what came before it
			if d.before {
				d.err = errUnsent
			}
			return true
		}
		n, err := syscall.Write(int(fd), d.message)
		if d.sent = max(n, 0); err != nil || d.sent < len(d.message) {
			return true
		}
		d.phase = sentOut
		return false
	}
	n, err := syscall.Read(int(fd), d.into)
	switch {
	case err == syscall.EAGAIN || err == syscall.EWOULDBLOCK:
		return false
	case err != nil:
		d.err = os.NewSyscallError("read", err)
	}
	d.phase, d.n = over, max(n, 0)
	return true
}

// alive tells whether a connection that has waited can be used: it is neither closed nor has the server said anything.
func (c *conn) alive() bool {
	d := &c.direct
	d.quiet = false
	return d.raw != nil && d.raw.Control(func(fd uintptr) { d.look(fd) }) == nil && d.quiet
}
