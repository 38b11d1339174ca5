package mcptest

import (
	"sync"
	"testing"
	"time"
)

// Patience bounds the wait for anything that a test expects to happen soon.
const Patience = 15 * time.Second

// Eventually waits until ok reports true and fails the test after [Patience].
// It is for conditions that nothing announces, such as counters.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for end := time.Now().Add(Patience); !ok(); <-poll.C {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", Patience, what)
		}
	}
}

// watch guards a value whose changes can be waited for.
type watch struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced by update; nil while nobody waits
}

// update runs change under the lock and wakes those who wait.
func (w *watch) update(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// look runs f under the lock.
func (w *watch) look(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// await waits until holds, which runs under the lock, reports true; it reports
// false when that takes longer than d.
func (w *watch) await(d time.Duration, holds func() bool) bool {
	late := time.NewTimer(d)
	defer late.Stop()
	for {
		w.mu.Lock()
		if holds() {
			w.mu.Unlock()
			return true
		}
		if w.changed == nil {
			w.changed = make(chan struct{})
		}
		changed := w.changed
		w.mu.Unlock()
		select {
		case <-changed:
		case <-late.C:
			return false
		}
	}
}
