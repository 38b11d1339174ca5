package budget_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

func match(t *testing.T, conditions string) *policy.Set {
	t.Helper()
	set, problems := policy.Compile([]policy.Spec{{Name: "b", Match: []byte(conditions), Action: "forward"}}, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

// round is one of a tool, with asks for forms and roots.
func round(who string, forms, roots int) *budget.Round {
	r := &budget.Round{First: true, Session: "s-" + who, Principal: func() string { return who }}
	add := func(kind wire.AskKind, method string, n int) {
		for range n {
			q := policy.QuestionOf("k", kind, method, []byte(`{}`))
			q.Route, q.Request, q.Client = "/mcp", policy.Request{Method: "tools/call", Name: "release"}, policy.Client{Name: "c-" + who}
			r.Asks = append(r.Asks, q)
		}
	}
	add(wire.ElicitationForm, wire.MethodElicit, forms)
	add(wire.Roots, wire.MethodRootsList, roots)
	return r
}

func TestCharges(t *testing.T) {
	forms := `{"method":"elicitation/create"}`
	later := func(r *budget.Round) *budget.Round { r.First = false; return r }
	modern := func(r *budget.Round) *budget.Round { r.Session = ""; return r }
	tool := func(r *budget.Round, name string) *budget.Round { r.Asks[0].Request.Name = name; return r }
	for _, tc := range []struct {
		name   string
		budget budget.Budget
		rounds []*budget.Round
		denied []bool
	}{
		{"asks that match count", budget.Budget{Match: match(t, forms), MaxAsks: 3}, []*budget.Round{round("a", 2, 9), round("a", 2, 0), round("a", 1, 0), round("a", 0, 9)}, []bool{false, true, false, false}},
		{"everything counts without a match", budget.Budget{MaxAsks: 3}, []*budget.Round{round("a", 1, 2), round("a", 0, 1)}, []bool{false, true}},
		{"an ask that cannot be judged counts", budget.Budget{Match: match(t, `{"when":"request.args.x == 1"}`), MaxAsks: 1}, []*budget.Round{round("a", 1, 0), round("a", 1, 0)}, []bool{false, true}},
		{"a round trip counts once", budget.Budget{MaxRoundTrips: 1}, []*budget.Round{round("a", 5, 0), later(round("a", 5, 0)), round("a", 1, 0)}, []bool{false, false, true}},
		{"a principal each", budget.Budget{MaxAsks: 1}, []*budget.Round{round("a", 1, 0), round("b", 1, 0), round("a", 1, 0)}, []bool{false, false, true}},
		{"a session each", budget.Budget{Per: budget.Session, MaxAsks: 1}, []*budget.Round{round("a", 1, 0), modern(round("a", 1, 0)), modern(round("a", 1, 0)), round("a", 1, 0)}, []bool{false, false, true, true}},
		{"a route for all", budget.Budget{Per: budget.Route, MaxAsks: 1}, []*budget.Round{round("a", 1, 0), round("b", 1, 0)}, []bool{false, true}},
		{"a tool each", budget.Budget{Per: budget.Tool, MaxAsks: 1}, []*budget.Round{round("a", 1, 0), tool(round("b", 1, 0), "x"), round("b", 1, 0)}, []bool{false, false, true}},
		{"a client each", budget.Budget{Per: budget.Client, MaxAsks: 1}, []*budget.Round{round("a", 1, 0), round("b", 1, 0), round("a", 1, 0)}, []bool{false, false, true}},
		{"nothing is asked", budget.Budget{MaxAsks: 1}, []*budget.Round{round("a", 0, 0), round("a", 1, 0)}, []bool{false, false}},
	} {
		tc.budget.Name, tc.budget.Window = "b", time.Hour
		book := budget.NewBook([]budget.Budget{tc.budget}, budget.NewMemory(0, nil))
		for i, r := range tc.rounds {
			d, err := book.Charge(t.Context(), r, time.Unix(1_800_000_000, 0))
			if err != nil || (d != nil) != tc.denied[i] || d != nil && (d.Budget != "b" || d.Wait <= 0) {
				t.Errorf("%s, round %d: %+v, %v", tc.name, i+1, d, err)
			}
		}
	}
}

func TestTheBudgetThatIsUsedUpIsNamed(t *testing.T) {
	book := budget.NewBook([]budget.Budget{{Name: "wide", MaxAsks: 9, Window: time.Hour}, {Name: "narrow", MaxAsks: 1, Window: time.Minute}}, budget.NewMemory(0, nil))
	now := time.Unix(1_800_000_000, 0)
	_, _ = book.Charge(t.Context(), round("a", 1, 0), now)
	if d, _ := book.Charge(t.Context(), round("a", 1, 0), now); d == nil || d.Budget != "narrow" || d.Wait != time.Minute {
		t.Errorf("%+v", d)
	}
	if d, err := (*budget.Book)(nil).Charge(t.Context(), round("a", 1, 0), now); d != nil || err != nil {
		t.Error("no budgets deny something")
	}
}

type broken struct{}

func (broken) Take(context.Context, []budget.Charge, time.Time) (int, time.Duration, error) {
	return 0, 0, errors.New("out of reach")
}

func TestAnErrorOfTheStoreIsTold(t *testing.T) {
	book := budget.NewBook([]budget.Budget{{Name: "b", MaxAsks: 1, Window: time.Hour}}, broken{})
	if d, err := book.Charge(t.Context(), round("a", 1, 0), time.Now()); err == nil || d != nil {
		t.Errorf("%+v, %v", d, err)
	}
}
