package policy

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Shadowed warns of rules that never decide, since an earlier rule matches all that they match; one on
// trial hides nothing. It errs to silence: two rules that cover a third between them are not found. Rules with problems of their
// own are left out.
func Shadowed(specs []Spec) []Problem {
	c := &compiler{names: map[string]int{}, extra: map[string]ActionParser{}}
	rules := make([]*Rule, len(specs))
	for i := range specs {
		if verb := specs[i].Action; verb != "" && !slices.Contains(verbs[:], verb) {
			c.extra[verb] = func(json.RawMessage) (any, []Problem) { return nil, nil }
		}
		c.rule, c.problems = i, nil
		if r := c.compile(&specs[i]); c.sound() {
			rules[i] = r
		}
	}
	var warnings []Problem
	for i, r := range rules {
		for j := 0; j < i && r != nil; j++ {
			if rules[j] != nil && !rules[j].Observed && rules[j].match.covers(&r.match) {
				warnings = append(warnings, Problem{Rule: i, Message: fmt.Sprintf("never decides: rule %d, %q, matches all that it matches", j+1, rules[j].Name)})
				break
			}
		}
	}
	return warnings
}

// sound lets a bad name pass: it leaves what a rule matches as it is.
func (c *compiler) sound() bool {
	for _, p := range c.problems {
		if p.Field != "name" {
			return false
		}
	}
	return true
}

// covers reports whether m holds for every ask that later holds for.
func (m *match) covers(later *match) bool {
	if m.kinds&later.kinds != later.kinds {
		return false
	}
	if m.clientCan != nil && (later.clientCan == nil || *m.clientCan != *later.clientCan) {
		return false
	}
	for _, f := range m.forecasts {
		if !some(later.forecasts, f.covers) {
			return false
		}
	}
	for _, c := range m.conditions {
		if !some(later.conditions, c.covers) {
			return false
		}
	}
	return true
}

func some[T any](list []T, is func(T) bool) bool {
	for _, v := range list {
		if is(v) {
			return true
		}
	}
	return false
}
