package exchange

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// askAll has the asks of a round answered, all at once. The first failure calls the
// others off. It returns when all of them have ended, so that nothing of a round is
// left behind when the next one begins.
func (t *trip) askAll(a resolver.AskAll) resolver.Action {
	f := t.begin()
	if f == nil {
		f = t.service.Desk.Check(a.Asks)
	}
	if f == nil {
		f = t.charge(a.Asks)
	}
	if f != nil {
		return t.step(resolver.Failed{At: time.Now(), Failure: f})
	}
	t.client.Waiting(a.Asks)
	defer t.client.Resumed()
	ctx, cancel := t.ctx, context.CancelFunc(func() {})
	if len(a.Asks) > 1 { // one alone has nothing to call off
		ctx, cancel = context.WithCancel(t.ctx)
	}
	defer cancel()
	c := t.request.Caller.Ask()
	if t.asked { // each round has its own: a report of the one before may still be on its way
		own := *c
		c = &own
	}
	t.asked = true
	c.Round, c.Limits, c.Until = t.state.Rounds(), t.limits, t.until
	round := &round{ctx: ctx, cancel: cancel, desk: t.service.Desk, about: c}
	c.Overdue = round.overdue
	last := len(a.Asks) - 1
	for _, ask := range a.Asks[:last] {
		round.wg.Go(func() { round.contain(ask) })
	}
	// The last one needs no goroutine: a call that waits for one person costs no more
	// than its connection.
	round.settle(a.Asks[last])
	round.wg.Wait()
	if round.fault != nil {
		panic(round.fault)
	}

	if t.ctx.Err() != nil || t.expired(time.Now()) {
		return t.step(t.interrupted())
	}
	for _, e := range round.close() {
		// What comes after the last answer, like a report that it was overdue, changes
		// nothing any more.
		action := t.step(e)
		if _, waits := action.(resolver.Wait); !waits {
			return action
		}
	}
	return resolver.Wait{}
}

// round collects what became of the asks of one round, in the order they ended.
type round struct {
	ctx    context.Context
	cancel context.CancelFunc
	desk   *answer.Desk
	about  *answer.Context

	wg     sync.WaitGroup
	mu     sync.Mutex
	events []resolver.Event
	fault  any  // what an ask panicked with: it is the request's fault, not the process's
	closed bool // a failure called it off, or it is over: what comes now is too late to matter
}

// close gives what became of the asks, once they have all ended.
func (r *round) close() []resolver.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	return r.events
}

// contain is settle on a goroutine of its own.
func (r *round) contain(ask resolver.Ask) {
	defer func() {
		if fault := recover(); fault != nil {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.fault, r.closed = fault, true
			r.cancel()
		}
	}()
	r.settle(ask)
}

func (r *round) settle(ask resolver.Ask) {
	got, f := r.desk.Settle(r.ctx, r.about, ask)
	if got == nil && f == nil {
		return // it is left to the client
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.events = append(r.events, event(ask.Key, got, f))
	if f != nil {
		r.closed = true
		r.cancel()
	}
}

// overdue notes that an ask has been open for input_timeout.
func (r *round) overdue(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.events = append(r.events, resolver.Overdue{At: time.Now(), Key: key})
	}
}

func event(key string, got json.RawMessage, f *resolver.Failure) resolver.Event {
	if f != nil {
		return resolver.AskFailed{At: time.Now(), Key: key, Failure: f}
	}
	return resolver.Answered{At: time.Now(), Key: key, Answer: got}
}
