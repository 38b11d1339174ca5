package budget_test

import (
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/budget/budgettest"
)

func TestMemory(t *testing.T) {
	budgettest.Run(t, func(*testing.T) budget.Store { return budget.NewMemory(0, nil) })
}

func TestMemoryIsBounded(t *testing.T) {
	forgotten := 0
	m := budget.NewMemory(2, func() { forgotten++ })
	now := time.Unix(1_800_000_000, 0)
	take := func(k byte) bool {
		denied, _, err := m.Take(t.Context(), []budget.Charge{{Key: budget.Key{k}, N: 1, Max: 1, Window: time.Hour}}, now)
		return denied < 0 && err == nil
	}
	if !take(1) || !take(2) || take(1) || take(2) || forgotten != 0 {
		t.Fatal("two buckets do not fit")
	}
	if !take(3) || forgotten != 1 {
		t.Errorf("a third takes the place of none: %d forgotten", forgotten)
	}
	if take(3) || !take(1) {
		t.Error("not the oldest was forgotten")
	}
}
