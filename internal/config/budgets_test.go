package config

import (
	"strings"
	"testing"
	"time"
)

func TestBudgets(t *testing.T) {
	c := parsed(t, `
budgets:
  - name: questions
    match: {method: elicitation/create, tool: "deploy_*"}
    max_asks: 50
    window: 24h
  - {name: deploys, per: tool, max_round_trips: 3, window: 1m}
`+good, Options{})
	if len(c.Budgets) != 2 {
		t.Fatalf("%+v", c.Budgets)
	}
	first, second := c.Budgets[0], c.Budgets[1]
	if first.Name != "questions" || first.Per != PerPrincipal || first.MaxAsks != 50 || first.MaxRoundTrips != 0 || first.Window != 24*time.Hour || len(first.Match.Rules()) != 1 {
		t.Errorf("%+v", first)
	}
	if second.Per != PerTool || second.MaxAsks != 0 || second.MaxRoundTrips != 3 || second.Match == nil {
		t.Errorf("%+v", second)
	}
}

func TestBadBudgets(t *testing.T) {
	for item, want := range map[string]string{
		`{max_asks: 1, window: 1h}`:                                              "budgets[0].name: is missing",
		`{name: a, window: 1h}`:                                                  "wants one of max_asks and max_round_trips",
		`{name: a, max_asks: 1, max_round_trips: 1, window: 1h}`:                 "wants one of max_asks and max_round_trips",
		`{name: a, max_asks: 0, window: 1h}`:                                     "0 is less than 1",
		`{name: a, max_asks: 1}`:                                                 "budgets[0].window: is missing",
		`{name: a, max_asks: 1, window: 1ms}`:                                    "1ms is less than 1s",
		`{name: a, max_asks: 1, window: 1h, per: planet}`:                        "is none of principal",
		`{name: a, max_asks: 1, window: 1h, match: {colour: red}}`:               "budgets[0].match.colour: unknown key",
		`{name: a, max_asks: 1, window: 1h, match: {when: "1 + 1"}}`:             "budgets[0].match.when",
		`{name: a, max_asks: 1, window: 1h}, {name: a, max_asks: 2, window: 1h}`: "already taken by the budget of line 1",
	} {
		_, problems := Parse("f", []byte("budgets: ["+item+"]\n"+good), Options{})
		if len(problems) == 0 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%s: %v, want %s", item, problems, want)
		}
	}
}
