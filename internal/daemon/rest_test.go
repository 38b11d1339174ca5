package daemon

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestABurstIsTidiedUpAfter(t *testing.T) {
	collected := 0
	r := newRest()
	r.collect = func() { collected++; debug.FreeOSMemory() }
	r.look() // whatever the tests before have left
	r.look()
	collected = 0

	func() {
		garbage := make([][]byte, 0, 64)
		for range 64 {
			garbage = append(garbage, make([]byte, 1<<20))
		}
		if r.look(); collected != 0 {
			t.Error("collected in the middle of a burst")
		}
		runtime.KeepAlive(garbage)
	}()
	if r.look(); collected != 1 {
		t.Fatalf("collected %d times when it was over", collected)
	}
	for range 5 {
		if r.look(); collected != 1 {
			t.Fatal("collected again, with nothing to collect")
		}
	}
}

// What is alive is no reason to collect again and again.
func TestALargeHeapIsLeftInPeace(t *testing.T) {
	r := newRest()
	collected := 0
	r.collect = func() { collected++; debug.FreeOSMemory() }
	alive := make([]byte, 64<<20)
	r.look()
	for range 5 {
		r.look()
	}
	if collected > 1 {
		t.Errorf("collected %d times", collected)
	}
	runtime.KeepAlive(alive)
}
