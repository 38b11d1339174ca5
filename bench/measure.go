package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/bench/load"
)

// measure does everything that was asked for.
func (f *field) measure() (*report, error) {
	r := &report{began: time.Now(), settings: f.settings}
	if err := f.comparisons(r); err != nil {
		return nil, err
	}
	for _, m := range []struct {
		name string
		do   func(*report, string) error
	}{
		{"idle sessions", f.sessions},
		{"idle sessions with a standing stream", f.streams},
		{"parked round trips", f.parked},
		{"size of a result", f.sizes},
	} {
		if !f.settings.only.MatchString(m.name) {
			continue
		}
		f.say(m.name)
		if err := m.do(r, m.name); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	r.foreign = f.foreign
	return r, nil
}

// say tells a person who waits what is going on.
func (f *field) say(name string) { _, _ = fmt.Fprintf(os.Stderr, "%s\n", name) }

// comparisons has all works take turns too: a machine that others share is faster in some minutes than in others, and not
// alike for all that is compared.
func (f *field) comparisons(r *report) error {
	d, err := f.daemon("")
	if err != nil {
		return err
	}
	defer d.Stop()
	chosen := slices.DeleteFunc(works(), func(w work) bool { return !f.settings.only.MatchString(w.name) })
	if len(chosen) == 0 {
		return nil
	}
	rounds := make([][]*round, len(chosen))
	for n := range f.settings.rounds {
		f.say(fmt.Sprintf("round %d of %d", n+1, f.settings.rounds))
		for i, w := range chosen {
			one, err := f.compare(w, d, n)
			if err != nil {
				return err
			}
			rounds[i] = append(rounds[i], one)
		}
	}
	for i, w := range chosen {
		for _, g := range w.figures {
			r.add(w.name, g, rounds[i])
		}
		if f.settings.profile == "" {
			continue
		}
		file := filepath.Join(f.settings.profile, strings.Map(plain, w.name))
		if err := f.profileWork(w, d, file); err != nil {
			return err
		}
	}
	return nil
}

// plain makes a file name of a work's.
func plain(c rune) rune {
	if c == ' ' || c == ',' {
		return '-'
	}
	return c
}

// scale is a number of things, smaller for a check that everything works.
func (f *field) scale(n int) int {
	if f.settings.quick {
		return n / 20
	}
	return n
}

// held starts a daemon and opens things at it stage by stage.
func (f *field) held(name string, t load.Task, stages ...int) (*load.Outcome, error) {
	d, err := f.daemon("")
	if err != nil {
		return nil, err
	}
	defer d.Stop()
	t.Address, t.Path, t.PID, t.Others = d.Address, "/mcp", d.PID, []int{f.stub.PID}
	t.Tool, t.Size = "ask", 1
	t.Settle = 3 * time.Second
	if f.settings.quick {
		t.Settle = 200 * time.Millisecond
	}
	t.Stages = stages
	if f.settings.profile == "" {
		return f.run(t)
	}
	type ending struct {
		o   *load.Outcome
		err error
	}
	done := make(chan ending)
	go func() {
		o, err := f.run(t)
		done <- ending{o, err}
	}()
	file := filepath.Join(f.settings.profile, strings.Map(plain, name))
	for i := 0; ; i++ {
		select {
		case e := <-done:
			return e.o, e.err
		case <-time.After(time.Second): // the last ones show what was held
			for _, kind := range []string{"heap", "goroutine"} {
				if err := d.profile(f.ctx, kind, fmt.Sprintf("%s.%03d.%s.pprof", file, i, kind)); err != nil {
					e := <-done
					return e.o, e.err
				}
			}
		}
	}
}

// tenfold is the bound on cost where there is ten times as much of something, and
// nothing the one on memory that is not there: a few pages of so many sessions.
var (
	tenfold = bound{value: 10, noise: 0.5}
	nothing = bound{value: 0, noise: 5}
)

func (r *report) growth(name, what string, few, lots float64, gate bound, aside ...string) {
	r.rows = append(r.rows, row{
		work: name, what: what, measured: lots / few, unit: "×", gate: gate, aim: gate, aside: strings.Join(aside, "; "),
	})
}

func (f *field) sessions(r *report, name string) error {
	few, lots := f.scale(10_000), f.scale(100_000)
	o, err := f.held(name, load.Task{Hold: "sessions"}, few, lots)
	if err != nil {
		return err
	}
	a, b := o.Stages[0], o.Stages[1]
	r.rows = append(r.rows, row{
		work: "idle session", what: fmt.Sprintf("memory, of the %sth to the %sth", thousands(few), thousands(lots)), unit: "bytes",
		measured: float64(b.RSS-a.RSS) / float64(lots-few), gate: atMost(20), aim: nothing,
		aside: fmt.Sprintf("%s MiB for the first %s, %s MiB for all", digits(mib(a.RSS)), thousands(few), digits(mib(b.RSS))),
	})
	r.growth("ten times the sessions", "CPU", a.CPU.Seconds(), b.CPU.Seconds(), tenfold)
	return nil
}

func (f *field) streams(r *report, _ string) error {
	n := f.scale(2_000)
	o, err := f.held("streams", load.Task{Hold: "streams"}, n)
	if err != nil {
		return err
	}
	r.rows = append(r.rows, row{
		work: fmt.Sprintf("idle session with a standing stream, %s of them", thousands(n)), what: "memory", unit: "KB each",
		measured: float64(o.Stages[0].RSS) / 1000 / float64(n), gate: atMost(30), aim: atMost(27),
	})
	return nil
}

// parked measures several daemons: how often each collects its garbage on the way is chance.
func (f *field) parked(r *report, _ string) error {
	few, some, lots := f.scale(500), f.scale(2_000), f.scale(8_000)
	daemons := 3
	if f.settings.quick {
		daemons = 1
	}
	var memory, cpu, growth, first, last []float64
	for range daemons {
		o, err := f.held("parked", load.Task{Hold: "parked"}, few, some, lots)
		if err != nil {
			return err
		}
		a, b, c := o.Stages[0], o.Stages[1], o.Stages[2]
		// Per call, of the last ones and of those before, both of which have the heap grow fourfold: what there is of memory, and
		// of room before the collector runs, would make the first ones look cheap.
		each := func(from, to load.Stage, of func(load.Stage) float64) float64 {
			return (of(to) - of(from)) / float64(to.Open-from.Open)
		}
		spent := func(s load.Stage) float64 { return s.CPU.Seconds() }
		used := func(s load.Stage) float64 { return float64(s.RSS) }
		memory = append(memory, used(b)/1000/float64(some))
		cpu = append(cpu, each(b, c, spent)/each(a, b, spent))
		growth = append(growth, each(b, c, used)/each(a, b, used))
		first, last = append(first, mib(a.RSS)), append(last, mib(c.RSS))
	}
	r.rows = append(r.rows, row{
		work: fmt.Sprintf("parked round trip, %s of them", thousands(some)), what: "memory", unit: "KB each",
		measured: middle(memory), gate: atMost(30), aim: atMost(26),
	})
	r.growth("ten times the parked round trips", "CPU", 1, 10*middle(cpu), tenfold)
	r.growth("ten times the parked round trips", "memory", 1, 10*middle(growth), tenfold,
		fmt.Sprintf("in all, %s MiB for %s and %s MiB for %s", digits(middle(first)), thousands(few), digits(middle(last)), thousands(lots)))
	return nil
}

// sizes measures long results, up to 64 MiB: more than a daemon passes on by default.
func (f *field) sizes(r *report, _ string) error {
	d, err := f.daemon("security: {max_message_bytes: 65MiB}")
	if err != nil {
		return err
	}
	defer d.Stop()
	t := load.Task{Path: "/mcp", Tool: "large", Callers: 1}
	one := func(size int) (*load.Outcome, error) {
		t.Size = size
		return f.take(t, d.Process)
	}
	long, err := one(64 * mebi)
	if err != nil {
		return err
	}
	r.rows = append(r.rows, row{
		work: "result of 64 MiB", what: "peak memory of the process", unit: "MiB",
		measured: mib(long.Peak), gate: atMost(90), aim: atMost(24),
		aside: fmt.Sprintf("%s MiB more than before", digits(mib(long.PeakGrowth))),
	})
	few, err := one(mebi)
	if err != nil {
		return err
	}
	lots, err := one(10 * mebi)
	if err != nil {
		return err
	}
	r.growth("ten times the size of a result", "CPU", cost(few), cost(lots), tenfold)
	r.growth("ten times the size of a result", "time", few.Median.Seconds(), lots.Median.Seconds(), tenfold)
	return nil
}

func mib(bytes int64) float64 { return float64(bytes) / mebi }
