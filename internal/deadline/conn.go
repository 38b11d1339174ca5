// Package deadline has what ends by time and costs little until then: connections whose deadlines are set late, contexts
// without a timer, values that are waited for. Most of what has a deadline is over long before it.
package deadline

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// Conn is a connection whose deadlines are set late: one that is put off stays set as it was, and is set anew only when it
// becomes due too early. Setting one takes the system about as long as a small read. Its user sees what net.Conn says, but
// that a connection is closed only where a deadline is really set.
type Conn struct {
	net.Conn
	read, write late
}

// Unread is about how long a client may leave what is written to it unread.
const Unread = 30 * time.Second

// Late makes a connection's deadlines late. Nobody else may set them from then on.
func Late(c net.Conn) *Conn { return &Conn{Conn: c} }

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	for {
		n, err := c.Conn.Read(p)
		if err == nil || n > 0 || !c.read.early(err, c.Conn.SetReadDeadline) {
			return n, err
		}
	}
}

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (int, error) {
	for sent := 0; ; {
		n, err := c.Conn.Write(p[sent:])
		if sent += n; err == nil || !c.write.early(err, c.Conn.SetWriteDeadline) {
			return sent, err
		}
	}
}

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.read.set(t, c.Conn.SetReadDeadline) }

// Arm sets the deadline of reading as it is due, for a user of the connection beneath.
func (c *Conn) Arm() error {
	c.read.mu.Lock()
	defer c.read.mu.Unlock()
	c.read.real = c.read.due
	return c.Conn.SetReadDeadline(c.read.real)
}

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.write.set(t, c.Conn.SetWriteDeadline) }

// late is one of the deadlines. Zero is none.
type late struct {
	mu   sync.Mutex
	due  time.Time // what the user has asked for
	real time.Time // what is set: not after due
}

// set asks for a deadline.
func (l *late) set(t time.Time, arm func(time.Time) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = t
	if t.IsZero() || !l.real.IsZero() && !t.Before(l.real) {
		return nil
	}
	l.real = t
	return arm(t)
}

// early tells whether an error says that a deadline has passed which is not due, and sets the one that is.
func (l *late) early(err error, arm func(time.Time) error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.due.IsZero() && time.Until(l.due) <= 0 {
		return false
	}
	l.real = l.due
	return arm(l.due) == nil
}
