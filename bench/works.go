package main

import (
	"fmt"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/bench/load"
	"github.com/mrtr-proxy/mrtr-proxy/bench/process"
)

// work is something that clients do, measured in turns with what it is compared with.
type work struct {
	name    string
	task    load.Task // the client's side of it
	naive   bool      // compared with the naive bridge too
	figures []figure
}

// figure is one row of the report: something taken from a round, and its bounds.
type figure struct {
	what string
	unit string
	// of computes the figure from a round.
	of func(r *round) float64
	// aside adds what explains the figure.
	aside     func(rs []*round) string
	gate, aim bound
}

// bound is a bound that a figure must not go beyond.
type bound struct {
	value float64
	least bool    // rather than at most
	noise float64 // by which two measurements of the same thing may differ
}

func atMost(v float64) bound  { return bound{value: v} }
func atLeast(v float64) bound { return bound{value: v, least: true} }

func (b bound) holds(v float64) bool {
	if b.least {
		return v >= b.value-b.noise
	}
	return v <= b.value+b.noise
}

// round is what one round brought.
type round struct{ proxy, reverse, naive *load.Outcome }

const mebi = 1 << 20

func cost(o *load.Outcome) float64 { return o.CPU.Seconds() * 1000 / float64(o.Calls) } // ms of CPU a call

func rate(o *load.Outcome) float64 { return float64(o.Calls) / o.Took.Seconds() }

func cpuRatio(r *round) float64  { return cost(r.proxy) / cost(r.reverse) }
func rateRatio(r *round) float64 { return rate(r.proxy) / rate(r.reverse) }
func timeRatio(r *round) float64 {
	return r.proxy.Median.Seconds() / r.reverse.Median.Seconds()
}
func naiveRatio(r *round) float64 { return cost(r.naive) / cost(r.proxy) }

// cpu is the figure that most works have: the daemon's CPU by that of the yardstick.
func cpu(gate, aim float64) figure {
	return figure{what: "CPU", unit: "× ReverseProxy", of: cpuRatio, gate: atMost(gate), aim: atMost(aim), aside: func(rs []*round) string {
		return fmt.Sprintf("%s and %s s per 1,000 calls", digits(median(rs, func(r *round) float64 { return cost(r.proxy) })), digits(median(rs, func(r *round) float64 { return cost(r.reverse) })))
	}}
}

func latency(gate, aim float64) figure {
	return figure{what: "median latency", unit: "× ReverseProxy", of: timeRatio, gate: atMost(gate), aim: atMost(aim), aside: func(rs []*round) string {
		return fmt.Sprintf("%s and %s ms", digits(median(rs, func(r *round) float64 { return r.proxy.Median.Seconds() * 1000 })), digits(median(rs, func(r *round) float64 { return r.reverse.Median.Seconds() * 1000 })))
	}}
}

func throughput(gate, aim float64) figure {
	return figure{what: "throughput", unit: "× ReverseProxy", of: rateRatio, gate: atLeast(gate), aim: atLeast(aim), aside: func(rs []*round) string {
		return fmt.Sprintf("%.0f and %.0f calls/s", median(rs, func(r *round) float64 { return rate(r.proxy) }), median(rs, func(r *round) float64 { return rate(r.reverse) }))
	}}
}

// naive tells how many times more the naive bridge uses.
func naive(gate, aim float64) figure {
	return figure{what: "CPU of the naive bridge", unit: "× ours", of: naiveRatio, gate: atLeast(gate), aim: atLeast(aim), aside: func(rs []*round) string {
		return fmt.Sprintf("%s s per 1,000 calls", digits(median(rs, func(r *round) float64 { return cost(r.naive) })))
	}}
}

const (
	many   = 64
	events = 10
)

// works are the works that are compared.
func works() []work {
	return []work{
		{
			name:    "small call, 64 at once",
			task:    load.Task{Path: "/mcp", Tool: "small", Callers: many},
			figures: []figure{cpu(1.05, 0.85), throughput(0.95, 1.1)},
		}, {
			name:    "small call, one at a time",
			task:    load.Task{Path: "/mcp", Tool: "small", Callers: 1},
			figures: []figure{latency(1.05, 0.95)},
		}, {
			name:    "small call of a modern client, 64 at once",
			task:    load.Task{Path: "/mcp", Tool: "small", Callers: many, Modern: true},
			figures: []figure{cpu(1.05, 0.85), throughput(0.95, 1.1)},
		}, {
			name:    "small call of a modern client, one at a time",
			task:    load.Task{Path: "/mcp", Tool: "small", Callers: 1, Modern: true},
			figures: []figure{latency(1.05, 0.95)},
		}, {
			name:    "tool list of 83 KB, 64 at once",
			task:    load.Task{Path: "/list", Tool: "list", Callers: many},
			figures: []figure{cpu(1.3, 1.1)},
		}, {
			name:    "result of 1 MiB, one at a time",
			task:    load.Task{Path: "/mcp", Tool: "large", Size: mebi, Callers: 1},
			figures: []figure{cpu(1.4, 1.15), latency(1.15, 1)},
		}, {
			name:    "call with one ask, 64 at once",
			task:    load.Task{Path: "/mcp", Tool: "ask", Size: 1, Callers: many},
			naive:   true,
			figures: []figure{naive(7, 9), cpu(1.1, 0.9)},
		}, {
			name:    "call with three asks in a row, 64 at once",
			task:    load.Task{Path: "/mcp", Tool: "ask", Size: 3, Callers: many},
			naive:   true,
			figures: []figure{naive(7, 9), cpu(1.1, 0.9)},
		}, {
			name: "stream of 10 progress events and a result, 64 at once",
			task: load.Task{Path: "/mcp", Tool: "progress", Size: events, Callers: many},
			figures: []figure{cpu(1.4, 1.2), {
				what: "events delivered", unit: "of 10", gate: atLeast(events), aim: atLeast(events),
				of: func(r *round) float64 { return float64(r.proxy.Events) / float64(r.proxy.Calls) },
			}},
		},
	}
}

// compare measures one round of a work, the nth. Who comes first changes from round to round.
func (f *field) compare(w work, d *daemon, n int) (*round, error) {
	r := new(round)
	modern, lenient := w.task, w.task
	modern.Modern = true
	lenient.Lenient = true // the SDK shows a legacy client what is none of its business
	turns := []turn{{w.task, d.Process, &r.proxy}, {modern, f.reverse, &r.reverse}}
	if w.naive {
		turns = append(turns, turn{lenient, f.naive, &r.naive})
	}
	for k := range turns {
		t := turns[(n+k)%len(turns)]
		var err error
		if *t.outcome, err = f.take(t.task, t.at); err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return r, nil
}

// turn is a work at one of those that are compared.
type turn struct {
	task    load.Task
	at      *process.Process
	outcome **load.Outcome
}

func (f *field) take(t load.Task, at *process.Process) (*load.Outcome, error) {
	t.Address, t.PID = at.Address, at.PID
	t.For, t.Warm = f.settings.turn, f.settings.turn/4
	t.Others = []int{f.stub.PID}
	return f.run(t)
}

// profileWork takes a CPU and an allocation profile of the daemon under a work.
func (f *field) profileWork(w work, d *daemon, file string) error {
	const seconds = 6
	t := w.task
	t.Address, t.PID, t.For = d.Address, d.PID, (seconds+1)*time.Second
	done := make(chan error, 1)
	go func() {
		_, err := f.run(t)
		done <- err
	}()
	time.Sleep(time.Second / 2)
	err := d.profile(f.ctx, fmt.Sprintf("profile?seconds=%d", seconds), file+".cpu.pprof")
	if e := <-done; e != nil {
		return e
	}
	if err != nil {
		return err
	}
	return d.profile(f.ctx, "allocs", file+".allocs.pprof")
}
