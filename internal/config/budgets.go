package config

import (
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// budgetKeys are the keys of a budget. What match holds is policy's to judge.
func budgetKeys(b *Budget, match *json.RawMessage) section {
	return section{"budget", []field{
		{"name", must{word(&b.Name)}},
		{"match", matchObject{match}},
		{"per", oneOf(&b.Per, PerPrincipal, PerSession, PerRoute, PerTool, PerClient)},
		{"max_asks", most{count(&b.MaxAsks, 1)}},
		{"max_round_trips", most{count(&b.MaxRoundTrips, 1)}},
		{"window", must{duration(&b.Window, time.Second)}},
	}}
}

// most is a count that is not there unless it is given.
type most struct{ kind }

func (most) fallback() string { return "" }

// matchObject is the match of a rule.
type matchObject struct{ dst *json.RawMessage }

func (matchObject) grammar() string  { return "<match>" }
func (matchObject) fallback() string { return "{}" }

func (m matchObject) read(v value) {
	if raw, ok := v.json(); ok {
		*m.dst = raw
	}
}

// budgetList is the list of budgets, each under a name of its own.
type budgetList struct{ dst *[]Budget }

func (budgetList) grammar() string  { return "[ <budget>, ... ]" }
func (budgetList) fallback() string { return "[]" }

func (l budgetList) read(v value) {
	items, ok := v.list()
	if !ok {
		return
	}
	names := map[string]int{}
	for _, item := range items {
		b, match := Budget{Per: PerPrincipal}, json.RawMessage(nil)
		before := len(v.r.problems)
		budgetKeys(&b, &match).read(item)
		if len(v.r.problems) > before {
			continue
		}
		if line, again := names[b.Name]; again {
			item.fail("the name %s is already taken by the budget of line %d", quoted(b.Name), line)
		}
		names[b.Name] = item.line
		if (b.MaxAsks == 0) == (b.MaxRoundTrips == 0) {
			item.fail("wants one of max_asks and max_round_trips")
		}
		rule := policy.Spec{Name: b.Name, Match: match, Action: "forward"}
		b.Match = ruleList{[]policy.Spec{rule}, []value{item}}.compile(v.r)
		*l.dst = append(*l.dst, b)
	}
}
