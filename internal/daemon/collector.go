package daemon

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// roomyHeap is the size in bytes, garbage included, that the heap may have before it is collected, however little of it is
	// alive. The runtime's own bound is 4 MiB, which a busy proxy fills a dozen times a second.
	roomyHeap = 16 << 20
	// mostPercent keeps the runtime's own bound, which grows with the percentage, within roomyHeap too.
	mostPercent = 400
)

// RelaxCollector has the collector run seldom as long as the heap is small, which costs no more memory than roomyHeap: after
// each cycle it sets the percentage by which the heap may grow to what is left, and never below what it was. A GOGC in the
// environment is the operator's word, and then nothing is changed; a GOMEMLIMIT holds in any case. It concerns the whole
// process; stop puts back what was.
func RelaxCollector(getenv func(string) string) (stop func()) {
	if getenv("GOGC") != "" {
		return func() {}
	}
	c := &collector{least: debug.SetGCPercent(mostPercent), percent: mostPercent, samples: []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"},
	}}
	c.watch()
	return c.stop
}

// collector sets the percentage.
type collector struct {
	least   int
	samples []metrics.Sample

	mu      sync.Mutex
	percent int
	stopped bool
}

// cycle is an object that nothing refers to, so that the next cycle frees it.
type cycle struct{ _ *cycle }

// watch waits for the end of the next cycle.
func (c *collector) watch() { runtime.AddCleanup(&cycle{}, (*collector).cycled, c) }

func (c *collector) cycled() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return
	}
	metrics.Read(c.samples)
	want := max(c.least, percentFor(c.samples[0].Value.Uint64(), c.samples[1].Value.Uint64()+c.samples[2].Value.Uint64()))
	if off := want - c.percent; off > c.percent/10 || -off > c.percent/10 || want == c.least && off != 0 {
		debug.SetGCPercent(want)
		c.percent = want
	}
	c.watch()
}

// percentFor is the percentage for which the runtime aims at roomyHeap: it counts the roots, stacks and globals, as if they
// were heap that may grow too.
func percentFor(live, roots uint64) int {
	if live >= roomyHeap {
		return 0
	}
	return int(min(mostPercent, (roomyHeap-live)*100/max(1, live+roots)))
}

func (c *collector) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	debug.SetGCPercent(c.least)
}
