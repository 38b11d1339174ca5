package load

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/bench/process"
)

// openers is how many things are opened at once.
const openers = 64

// hold opens sessions, streams or parked calls stage by stage, and reads what the
// process uses once they have all come to rest.
func (t *Task) hold() (*Outcome, error) {
	o := new(Outcome)
	h := &holder{task: t, release: make(chan struct{}), turns: make(chan struct{}, openers)}
	defer h.drop()
	open := map[string]func(int) error{"sessions": h.session, "streams": h.stream, "parked": h.park}[t.Hold]
	if open == nil {
		return nil, fmt.Errorf("nothing known as %q can be held", t.Hold)
	}
	if t.Hold != "sessions" { // which are there before what is measured
		if err := h.each(t.Stages[len(t.Stages)-1], h.session); err != nil {
			return nil, err
		}
		h.rest()
	}
	w := t.window()
	for _, n := range t.Stages {
		if err := h.each(n-o.Calls, open); err != nil {
			return nil, err
		}
		o.Calls = n
		h.rest()
		o.Stages = append(o.Stages, Stage{Open: n, CPU: process.CPU(t.PID) - w.cpu, RSS: process.RSS(t.PID) - w.rss})
	}
	close(h.release)
	h.parked.Wait()
	w.close(o)
	o.Failed, o.Reason = h.calls.failed, h.calls.reason
	return o, nil
}

// holder keeps what was opened open.
type holder struct {
	task *Task

	mu      sync.Mutex
	openers []*client // idle, for sessions
	headers []string  // of sessions that nothing was opened for yet
	kept    []*client

	calls   tally
	parked  sync.WaitGroup
	release chan struct{}
	turns   chan struct{} // of those that are being answered
}

// each calls f n times, some at once, and returns one of its errors.
func (h *holder) each(n int, f func(i int) error) error {
	var (
		wg    sync.WaitGroup
		first error
		next  = make(chan int)
	)
	for range min(openers, n) {
		wg.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					h.mu.Lock()
					first = err
					h.mu.Unlock()
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return first
}

// session opens a session over one of a few connections.
func (h *holder) session(i int) error {
	h.mu.Lock()
	var c *client
	if last := len(h.openers) - 1; last >= 0 {
		c, h.openers = h.openers[last], h.openers[:last]
	} else {
		c = newClient(h.task, i, 1)
	}
	h.mu.Unlock()
	err := c.open()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.openers = append(h.openers, c)
	if h.task.Hold != "sessions" {
		h.headers = append(h.headers, c.header)
	}
	return err
}

// take makes a client of a session that was opened.
func (h *holder) take(i int) *client {
	c := newClient(h.task, i, 1)
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(h.headers) - 1
	c.header, h.headers = h.headers[last], h.headers[:last]
	h.kept = append(h.kept, c)
	return c
}

// stream opens the standing stream of a session.
func (h *holder) stream(i int) error {
	c := h.take(i)
	r, err := c.main.send("GET", c.header, nil)
	if err != nil {
		return err
	}
	if r.status != 200 || !r.stream {
		return fmt.Errorf("no standing stream: status %d", r.status)
	}
	go func() { _, _ = io.Copy(io.Discard, r.body) }() // ends with the connection
	return nil
}

// park makes a call and leaves its question unanswered until release. It returns when
// the question has come.
func (h *holder) park(i int) error {
	c := h.take(i)
	came := make(chan error, 1)
	asked := false
	c.asked = func() {
		asked = true
		came <- nil
		<-h.release
		h.turns <- struct{}{}
		_ = c.main.conn.SetDeadline(time.Now().Add(patience))
	}
	h.parked.Go(func() {
		err := c.call()
		if asked {
			<-h.turns
		} else {
			came <- fmt.Errorf("the call was not asked: %w", err)
		}
		if err != nil {
			h.calls.fail(err)
		}
	})
	return <-came
}

// rest closes what is not held and lets memory settle.
func (h *holder) rest() {
	h.mu.Lock()
	for _, c := range h.openers {
		c.main.drop()
		c.side.drop()
	}
	h.openers = nil
	h.mu.Unlock()
	time.Sleep(h.task.Settle)
}

func (h *holder) drop() {
	for _, c := range h.kept {
		c.main.drop()
		c.side.drop()
	}
}
