package legacy

import (
	"math"
	"strconv"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// waiting keeps a client patient while its request waits for input. Many clients give
// up a call after 20 to 60 seconds and start that clock anew with every progress they
// hear of; to those that want none, a readable failure in time is worth more than an
// answer that comes too late.
type waiting struct {
	waits    bool
	asks     []resolver.Ask // that it waits for; none where it waits for the server
	progress *time.Timer    // the next notification; nil until there was one
	deadline *time.Timer    // of the client; nil without one
}

// Waiting implements exchange.Client.
func (p *reply) Waiting(asks []resolver.Ask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.waits, p.waiting.asks = true, asks
	switch {
	case p.ended:
	case p.progress.token != nil && p.h.WaitingProgress > 0:
		p.waiting.progress = startTimer(p.waiting.progress, p.h.WaitingProgress, p.reassure)
	case p.deadline > 0:
		p.waiting.deadline = startTimer(p.waiting.deadline, time.Until(p.x.Began.Add(p.deadline)), p.overdue)
	}
}

// Resumed implements exchange.Client.
func (p *reply) Resumed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting.stop()
}

func (w *waiting) stop() {
	w.waits, w.asks = false, nil
	for _, t := range []*time.Timer{w.progress, w.deadline} {
		if t != nil {
			t.Stop()
		}
	}
}

func startTimer(t *time.Timer, d time.Duration, f func()) *time.Timer {
	if t == nil {
		return time.AfterFunc(d, f)
	}
	t.Reset(d)
	return t
}

// overdue ends an exchange that still waits when its client is about to give up.
func (p *reply) overdue() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting.waits {
		p.x.End(exchange.ErrClientDeadline)
	}
}

// reassure tells the client that its request still waits, and for what.
func (p *reply) reassure() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.waiting.waits || p.ended {
		return
	}
	if value, ok := p.progress.nudge(); ok {
		msg := append([]byte(`{"jsonrpc":"2.0","method":"`+wire.NotifyProgress+`","params":{"progressToken":`), p.progress.token...)
		msg = append(strconv.AppendFloat(append(msg, `,"progress":`...), value, 'f', -1, 64), `,"message":`...)
		msg = append(wire.AppendQuoted(msg, describe(p.waiting.asks)), `}}`...)
		p.event(msg, false)
	}
	p.waiting.progress.Reset(p.h.WaitingProgress)
}

// nudge is a value a little larger than the last: progress has to increase, and what
// the server tells later has to come out larger still.
func (p *progress) nudge() (float64, bool) {
	value := p.last + 0.001
	if value <= p.last {
		value = math.Nextafter(p.last, math.Inf(1))
	}
	if math.IsInf(value, 0) {
		return 0, false
	}
	p.any, p.last = true, value
	return value, true
}

// describe says what an exchange waits for, in words for a person.
func describe(asks []resolver.Ask) string {
	switch {
	case len(asks) == 0:
		return "waiting for the server"
	case len(asks) > 1:
		return "waiting for " + strconv.Itoa(len(asks)) + " answers"
	}
	switch asks[0].Kind {
	case wire.ElicitationForm, wire.ElicitationURL:
		message, _ := wire.Unquote(wire.Get(asks[0].Params, "message"))
		return "waiting for an answer to: " + wire.Clean(message, 100)
	case wire.Sampling:
		return "waiting for a completion"
	}
	return "waiting for the list of roots"
}
