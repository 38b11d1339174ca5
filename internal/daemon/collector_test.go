package daemon

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func percentNow() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

func TestThePercentageAimsAtARoomyHeap(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		live, roots uint64
		want        int
	}{
		{0, 0, mostPercent}, {1 * mib, 0, mostPercent}, {4 * mib, 0, 300}, {4 * mib, 2 * mib, 200}, {8 * mib, 0, 100}, {12 * mib, 0, 33}, {16 * mib, 0, 0}, {1 << 40, 1 << 40, 0},
	} {
		if got := percentFor(c.live, c.roots); got != c.want {
			t.Errorf("%d alive and %d of roots: %d %%, want %d", c.live, c.roots, got, c.want)
		}
	}
}

// collectUntil collects until the percentage is as wanted: it is set some time after a cycle.
func collectUntil(t *testing.T, when string, wanted func(percent int) bool) {
	t.Helper()
	for range 1000 {
		runtime.GC()
		if wanted(percentNow()) {
			return
		}
	}
	t.Errorf("%d %% with %s", percentNow(), when)
}

// A heap that outgrows the room is collected as ever, one that shrinks has it again, and the end is as it was before.
func TestTheCollectorIsRelaxedWhileTheHeapIsSmall(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	stop := RelaxCollector(func(string) string { return "" })
	if got := percentNow(); got != mostPercent {
		t.Errorf("%d %% at the start", got)
	}
	alive := make([]byte, 4*roomyHeap)
	collectUntil(t, "a large heap", func(percent int) bool { return percent == 100 })
	runtime.KeepAlive(alive)
	collectUntil(t, "a small heap", func(percent int) bool { return percent > 100 })
	stop()
	runtime.GC()
	if got := percentNow(); got != 100 {
		t.Errorf("%d %% at the end", got)
	}
}

func TestAnOperatorsGOGCIsLeftAlone(t *testing.T) {
	before := percentNow()
	defer RelaxCollector(func(name string) string { return map[string]string{"GOGC": "50"}[name] })()
	runtime.GC()
	if got := percentNow(); got != before {
		t.Errorf("%d %%, was %d", got, before)
	}
}
