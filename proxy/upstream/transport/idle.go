package transport

import "time"

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
			t.expiry = time.AfterFunc(idleFor, t.expire)
		}
	}
	t.mu.Unlock()
	if full {
		c.close()
	}
}

// expire closes the connections that have waited for too long, and comes back for the others.
func (t *Transport) expire() {
	t.mu.Lock()
	n := 0
	for n < len(t.idle) && time.Since(t.idle[n].since) >= idleFor {
		n++
	}
	old := append([]*conn(nil), t.idle[:n]...)
	if rest := copy(t.idle, t.idle[n:]); rest > 0 {
		clear(t.idle[rest:])
		t.idle = t.idle[:rest]
		t.expiry.Reset(time.Until(t.idle[0].since.Add(idleFor)))
	} else {
		t.idle, t.expiry = nil, nil
	}
	t.mu.Unlock()
	for _, c := range old {
		c.close()
	}
}
