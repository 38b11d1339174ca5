package daemon

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// restCheck is how often it is looked whether the process rests.
	restCheck = time.Second
	// restAllocs is how many bytes a process that rests allocates at most between two looks.
	restAllocs = 512 << 10
	// restGarbage is how many bytes of garbage are worth a collection, and restFree how many that are kept and not used.
	restGarbage = 4 << 20
	restFree    = 8 << 20
)

// rest has memory given back when a burst is over. The runtime leaves the garbage of one, and stacks that have become too
// large, until the heap has grown as much again or two minutes have passed; sessions, streams and people that are waited
// for would hold that memory meanwhile.
type rest struct {
	samples   []metrics.Sample
	collect   func()
	allocated uint64 // up to the last look
	live      uint64 // after the last collection of ours
}

func newRest() *rest {
	return &rest{collect: debug.FreeOSMemory, samples: []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}}
}

// watch looks until done is closed.
func (r *rest) watch(done <-chan struct{}) {
	t := time.NewTicker(restCheck)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			r.look()
		case <-done:
			return
		}
	}
}

func (r *rest) look() {
	allocated, objects, free := r.read()
	quiet := allocated-r.allocated <= restAllocs
	r.allocated = allocated
	r.live = min(r.live, objects) // what the runtime's own collections leave is no garbage of a burst
	if !quiet || objects < r.live+max(restGarbage, r.live/8) && free < restFree {
		return
	}
	r.collect()
	r.allocated, r.live, _ = r.read()
}

func (r *rest) read() (allocated, objects, free uint64) {
	metrics.Read(r.samples)
	return r.samples[0].Value.Uint64(), r.samples[1].Value.Uint64(), r.samples[2].Value.Uint64()
}
