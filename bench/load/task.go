// Package load makes calls, as a legacy client or as a modern one, counts them, and
// reads what a process paid for them.
package load

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/bench/process"
)

// Task is what the generator has to do. It comes as JSON on its standard input.
type Task struct {
	Address, Path string // of the server
	Modern        bool   // the client's era
	// Lenient overlooks a resultType that a legacy client was shown.
	Lenient bool
	// Tool is what is called: one of the stub's, or "list" for tools/list.
	Tool string
	// Size is the argument of the tool: bytes, rounds or events.
	Size int
	// Callers is how many calls run at once.
	Callers int
	// Warm is how long calls are made before they count, For how long they count; at
	// least one does.
	Warm, For time.Duration
	// Hold is "" for calls in a closed loop; "sessions", "streams" and "parked" open
	// as many of these as Stages say, one stage after the other, and keep them.
	Hold   string
	Stages []int
	// Settle is how long memory gets to settle before it is read.
	Settle time.Duration
	// PID is the process whose cost is read; Others are those that take part besides
	// it and this one.
	PID    int
	Others []int
}

// Outcome is what a Task came to, as JSON on standard output.
type Outcome struct {
	Calls  int
	Events int // progress events that arrived
	Failed int
	Reason string // why the first call failed
	Took   time.Duration
	// Median is of the calls' latencies.
	Median time.Duration
	// CPU is what the process used meanwhile.
	CPU time.Duration
	// Peak is its highest resident memory in bytes, PeakGrowth by how much that is
	// more than before.
	Peak, PeakGrowth int64
	// Foreign is how many processors others kept busy meanwhile.
	Foreign float64
	Stages  []Stage
}

// Stage is what a process used after so many things were opened, since the first.
type Stage struct {
	Open int
	CPU  time.Duration
	RSS  int64 // bytes, in addition to what it had before
}

// Run does the task that comes from in.
func Run(in io.Reader, out io.Writer) error {
	var t Task
	if err := json.NewDecoder(in).Decode(&t); err != nil {
		return fmt.Errorf("task: %w", err)
	}
	if err := process.ResetPeak(t.PID); err != nil {
		return err
	}
	run := t.loop
	if t.Hold != "" {
		run = t.hold
	}
	o, err := run()
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(o)
}
