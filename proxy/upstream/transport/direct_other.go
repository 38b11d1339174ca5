//go:build !unix

package transport

import (
	"syscall"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

// Without a way to look at a connection there is no telling whether it can be used again.
const supported = false

type direct struct{}

func (*direct) at(syscall.Conn) {}

func (*direct) trip(*deadline.Conn, []byte, []byte, bool) (sent, n int, err error) {
	return 0, 0, nil // never called
}

func (c *conn) alive() bool { return false }
