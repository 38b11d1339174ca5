package transport

import (
	"slices"
	"time"
)

// take takes the connection that has waited for the shortest time; nil when none waits.
func (t *Transport) take() *conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.idle) - 1
	if last < 0 {
		return nil
	}
	c := t.idle[last]
	t.idle[last] = nil
	t.idle = t.idle[:last]
	return c
}

// keep has a connection wait for the next request.
func (t *Transport) keep(c *conn) {
	c.since = time.Now()
	t.mu.Lock()
	full := t.closed || len(t.idle) >= maxIdle
	if !full {
		if t.idle = append(t.idle, c); t.expiry == nil {
			t.expiry = time.AfterFunc(sweepEvery, t.sweep)
		}
	}
	t.mu.Unlock()
	if full {
		c.close()
	}
}

// sweep closes the connections that have waited for too long, and those that the server has closed or spoken up on: nobody
// reads from one that waits.
func (t *Transport) sweep() {
	t.mu.Lock()
	n := 0
	for n < len(t.idle) && time.Since(t.idle[n].since) >= sweepEvery {
		n++
	}
	old := slices.Clone(t.idle[:n])
	t.idle = slices.Delete(t.idle, 0, n)
	t.mu.Unlock()
	good := slices.DeleteFunc(old, func(c *conn) bool {
		over := time.Since(c.since) >= idleFor || !c.alive()
		if over {
			c.close()
		}
		return over
	})
	t.mu.Lock()
	surplus := good[:max(0, min(len(good), len(t.idle)+len(good)-maxIdle))]
	good = good[len(surplus):]
	t.idle = slices.Insert(t.idle, 0, good...)
	t.expiry = nil
	closed := t.closed
	if len(t.idle) > 0 && !closed {
		t.expiry = time.AfterFunc(sweepEvery, t.sweep)
	}
	t.mu.Unlock()
	for _, c := range surplus { // as many have come to wait meanwhile
		c.close()
	}
	if closed {
		t.CloseIdleConnections()
	}
}
