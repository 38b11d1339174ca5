package load

import (
	"errors"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/bench/process"
)

// tally gathers what became of calls.
type tally struct {
	mu     sync.Mutex
	took   []time.Duration
	events int
	failed int
	reason string
}

func (t *tally) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failed++; t.reason == "" {
		t.reason = err.Error()
	}
}

// window is a time in which the cost of processes is read.
type window struct {
	task          *Task
	at            time.Time
	cpu, all, own time.Duration
	rss           int64
}

func (t *Task) window() *window {
	w := &window{task: t, rss: process.RSS(t.PID), all: process.Busy(), own: t.own()}
	w.cpu, w.at = process.CPU(t.PID), time.Now()
	return w
}

// own is the processor time of everyone who takes part.
func (t *Task) own() time.Duration {
	sum := process.CPU(t.PID) + process.CPU(os.Getpid())
	for _, pid := range t.Others {
		sum += process.CPU(pid)
	}
	return sum
}

func (w *window) close(o *Outcome) {
	o.CPU, o.Took = process.CPU(w.task.PID)-w.cpu, time.Since(w.at)
	foreign := process.Busy() - w.all - (w.task.own() - w.own)
	o.Foreign = max(0, foreign.Seconds()/o.Took.Seconds())
	o.Peak = process.Peak(w.task.PID)
	o.PeakGrowth = o.Peak - w.rss
}

// phases of a closed loop.
const (
	warming int32 = iota
	counting
	over
)

// loop has as many callers make calls, one after the other each, for a time.
func (t *Task) loop() (*Outcome, error) {
	var (
		calls   tally
		phase   atomic.Int32
		counted atomic.Int64
		wg      sync.WaitGroup
	)
	clients, err := t.clients(t.Callers)
	if err != nil {
		return nil, err
	}
	for _, c := range clients {
		wg.Go(func() { c.repeat(&calls, &phase, &counted) })
	}
	time.Sleep(t.Warm)
	w := t.window()
	phase.Store(counting)
	time.Sleep(t.For)
	for counted.Load() == 0 { // one call may take longer
		time.Sleep(time.Millisecond)
	}
	phase.Store(over)
	o := new(Outcome)
	w.close(o)
	wg.Wait()
	o.Calls, o.Events, o.Failed, o.Reason = len(calls.took), calls.events, calls.failed, calls.reason
	if o.Calls > 0 {
		slices.Sort(calls.took)
		o.Median = calls.took[o.Calls/2]
	}
	return o, nil
}

// repeat makes calls; those count that begin and end while calls are counted.
func (c *client) repeat(calls *tally, phase *atomic.Int32, counted *atomic.Int64) {
	var took []time.Duration
	events := 0
	for phase.Load() != over {
		counts := phase.Load() == counting
		c.events = 0
		began := time.Now()
		err := c.call()
		lasted := time.Since(began)
		if err != nil {
			calls.fail(err)
			c.main.drop()
			c.side.drop()
			time.Sleep(10 * time.Millisecond) // an error is no way to be fast
		}
		if !counts || phase.Load() == over {
			continue
		}
		if err == nil {
			took = append(took, lasted)
			events += c.events
		}
		counted.Add(1)
	}
	calls.mu.Lock()
	defer calls.mu.Unlock()
	calls.took = append(calls.took, took...)
	calls.events += events
}

// clients makes n clients with an open session each.
func (t *Task) clients(n int) ([]*client, error) {
	clients, errs := make([]*client, n), make([]error, n)
	var wg sync.WaitGroup
	for i := range clients {
		clients[i] = newClient(t, i, n)
		wg.Go(func() { errs[i] = clients[i].open() })
	}
	wg.Wait()
	return clients, errors.Join(errs...)
}
