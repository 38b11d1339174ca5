package modern_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func budgeted(b budget.Budget) func(*proxy.Options) {
	b.Name, b.Window = "daily", 24*time.Hour
	return func(o *proxy.Options) { o.Budgets = []budget.Budget{b} }
}

// denied is a failure that names the budget and says when to come back.
func denied(t *testing.T, m *mcptest.Message) {
	t.Helper()
	f := m.Failure()
	if f == nil || f.Kind != "mrtr_budget" || !strings.Contains(string(m.Raw), `"budget":"daily","retryAfter":"`) || isAsked(m) {
		t.Errorf("%s", m.Raw)
	}
}

// What one client uses up is used up for the other, whatever dialect it speaks.
func TestBudgetsHoldForEveryClient(t *testing.T) {
	w := newWorld(t, budgeted(budget.Budget{MaxAsks: 2}), limited(func(l *resolver.Limits) { l.Observe = true }))
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
	legacy := mcptest.Connect(t, w.endpoint, mcptest.V20251125, mcptest.EveryCapability)
	call := legacy.CallTool("1", "release", `{}`)
	legacy.Answer(call.Ask("elicitation/create"), portAnswer)
	call.Response()
	c := w.client()
	m := c.call("").Response()
	if !isAsked(m) {
		t.Fatalf("%s", m.Raw)
	}
	denied(t, c.call("").Response())
	denied(t, legacy.CallTool("2", "release", `{}`).Response())
	if m := c.retry(m, `{"port":`+portAnswer+`}`).Response(); m.Text() == "" || m.Failure() != nil {
		t.Errorf("what was asked within the budget: %s", m.Raw)
	}
	other := w.client()
	other.Header.Set("Authorization", "Bearer another")
	if m := other.call("").Response(); !isAsked(m) {
		t.Errorf("another principal: %s", m.Raw)
	}
	w.want(2, "budget_denials_total", "route", "/mcp", "budget", "daily")
	w.want(2, "requests_total", "outcome", "limit")
}

// A round trip counts once, however many requests it takes.
func TestBudgetOfRoundTrips(t *testing.T) {
	w := newWorld(t, budgeted(budget.Budget{MaxRoundTrips: 1}))
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, port)}
	})
	c := w.client()
	m := c.call("").Response()
	for range 3 {
		if m = c.retry(m, `{"port":`+portAnswer+`}`).Response(); !isAsked(m) {
			t.Fatalf("%s", m.Raw)
		}
	}
	denied(t, c.call("").Response())
}
