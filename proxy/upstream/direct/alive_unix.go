//go:build unix

package direct

import "syscall"

const supported = true

// alive tells whether a connection that has waited can be used: it is neither closed nor has the server said anything.
func (c *conn) alive() bool {
	if c.raw == nil || c.in.Buffered() > 0 {
		return false
	}
	quiet := false
	err := c.raw.Read(func(fd uintptr) bool {
		var one [1]byte
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = n <= 0 && (err == syscall.EAGAIN || err == syscall.EWOULDBLOCK || err == syscall.EINTR)
		return true
	})
	return err == nil && quiet
}
