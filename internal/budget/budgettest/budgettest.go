// Package budgettest is what every budget.Store must do, as tests.
package budgettest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
)

var start = time.Unix(1_800_000_000, 0)

func key(n byte) budget.Key { return budget.Key{n} }

// hour is n tokens of a bucket of ten an hour.
func hour(k byte, n int) budget.Charge {
	return budget.Charge{Key: key(k), N: n, Max: 10, Window: time.Hour}
}

// Run runs the suite; open makes an empty store.
func Run(t *testing.T, open func(*testing.T) budget.Store) {
	for name, test := range map[string]func(*testing.T, *checked){
		"a bucket gives what it holds":          gives,
		"what is denied is not taken":           deniedTakesNothing,
		"tokens come back over time":            refills,
		"all are taken or none":                 allOrNone,
		"more than it holds":                    tooMuch,
		"a smaller budget counts at once":       shrinks,
		"clocks may go back":                    clockGoesBack,
		"many at once take no more than it has": concurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, &checked{t, open(t)}) })
	}
}

// checked is a store whose errors fail the test.
type checked struct {
	t     *testing.T
	store budget.Store
}

// take takes charges after a time; it fails the test unless the one denied is the one wanted, -1 for none.
func (c *checked) take(after time.Duration, want int, charges ...budget.Charge) time.Duration {
	c.t.Helper()
	denied, wait, err := c.store.Take(c.t.Context(), charges, start.Add(after))
	if err != nil {
		c.t.Fatal(err)
	}
	if denied != want || wait < 0 || (denied >= 0) != (wait > 0) {
		c.t.Errorf("denied %d for %v, want %d", denied, wait, want)
	}
	return wait
}

func near(t *testing.T, got, want time.Duration) {
	t.Helper()
	if d := (got - want).Abs(); d > time.Second {
		t.Errorf("has to wait %v, want %v", got, want)
	}
}

func gives(_ *testing.T, c *checked) {
	for range 10 {
		c.take(0, -1, hour(1, 1))
	}
	c.take(0, 0, hour(1, 1))
	c.take(0, -1, hour(2, 10))
}

func deniedTakesNothing(t *testing.T, c *checked) {
	c.take(0, -1, hour(1, 6))
	near(t, c.take(0, 0, hour(1, 5)), 6*time.Minute)
	c.take(0, -1, hour(1, 4))
	near(t, c.take(0, 0, hour(1, 10)), time.Hour)
}

func refills(t *testing.T, c *checked) {
	c.take(0, -1, hour(1, 10))
	near(t, c.take(3*time.Minute, 0, hour(1, 1)), 3*time.Minute)
	c.take(6*time.Minute+time.Second, -1, hour(1, 1))
	c.take(48*time.Hour, -1, hour(1, 10))
	c.take(48*time.Hour, 0, hour(1, 1))
}

func allOrNone(_ *testing.T, c *checked) {
	c.take(0, -1, hour(1, 10))
	c.take(0, 1, hour(2, 10), hour(1, 1), hour(3, 10))
	c.take(0, -1, hour(2, 10), hour(3, 10))
}

func tooMuch(t *testing.T, c *checked) {
	near(t, c.take(0, 0, hour(1, 11)), time.Hour)
	c.take(0, -1, hour(1, 10))
}

func shrinks(_ *testing.T, c *checked) {
	c.take(0, -1, hour(1, 1))
	smaller := budget.Charge{Key: key(1), N: 3, Max: 2, Window: time.Hour}
	c.take(0, 0, smaller)
	smaller.N = 2
	c.take(0, -1, smaller)
	c.take(0, 0, hour(1, 1))
}

func clockGoesBack(_ *testing.T, c *checked) {
	c.take(time.Hour, -1, hour(1, 9))
	c.take(0, -1, hour(1, 1))
	c.take(0, 0, hour(1, 1))
}

func concurrent(t *testing.T, c *checked) {
	var taken atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				denied, _, err := c.store.Take(t.Context(), []budget.Charge{hour(1, 1), hour(2, 1)}, start)
				if err != nil {
					t.Error(err)
				}
				if denied < 0 {
					taken.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if taken.Load() != 10 {
		t.Errorf("%d were taken of 10", taken.Load())
	}
}
