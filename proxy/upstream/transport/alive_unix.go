//go:build unix

package transport

import (
	"syscall"
	"time"
)

const supported = true

// peek looks at a connection without reading from it.
type peek struct {
	raw   syscall.RawConn
	look  func(fd uintptr) bool
	one   [1]byte
	quiet bool
}

func (p *peek) at(c syscall.Conn) {
	raw, err := c.SyscallConn()
	if err != nil {
		return
	}
	p.raw = raw
	p.look = func(fd uintptr) bool {
		n, _, err := syscall.Recvfrom(int(fd), p.one[:], syscall.MSG_PEEK) // which waits for nothing, on a socket of Go's
		p.quiet = n <= 0 && (err == syscall.EAGAIN || err == syscall.EWOULDBLOCK || err == syscall.EINTR)
		return true
	}
}

// alive tells whether a connection that has waited can be used: it is neither closed nor has the server said anything.
func (c *conn) alive() bool {
	p := &c.peek
	p.quiet = false
	_ = c.net.SetReadDeadline(time.Time{}) // the request before may have left one that is over
	return p.raw != nil && c.net.Arm() == nil && p.raw.Read(p.look) == nil && p.quiet
}
