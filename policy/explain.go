package policy

import (
	"fmt"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Verdict tells how one rule stands to an ask.
type Verdict struct {
	Rule *Rule
	// Matches: all of its match holds.
	Matches bool
	// Reached: no rule before it decides or fails the ask.
	Reached bool
	// Decides: it is the first that matches and is not on trial, and no rule before it fails the ask.
	Decides bool
	// Reasons are for people, cleaned: what does not hold, or, for a rule that matches, what does.
	Reasons []string
	// Err is an [*EvalError] when the rule cannot be judged: reached, it fails the ask unless it is on trial.
	Err error
}

// Explain says for every rule whether it matches the ask, and why.
func (s *Set) Explain(q *Question) []Verdict {
	verdicts := make([]Verdict, 0, len(s.Rules()))
	e := evaluation{q: q}
	open := true
	for _, r := range s.Rules() {
		v := Verdict{Rule: r, Reached: open}
		ok, field, err := r.match.holds(&e)
		v.Matches = ok
		if err != nil {
			v.Err = &EvalError{Rule: r, Field: field, Err: err}
		} else {
			v.Reasons = r.match.reasons(&e, ok)
		}
		v.Decides = open && ok && !r.Observed
		open = open && (r.Observed || !ok && err == nil)
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// reasons lists the members that hold, or those that do not.
func (m *match) reasons(e *evaluation, holds bool) []string {
	q := e.q
	var reasons []string
	if m.kinds != allKinds && m.kinds.has(q.Kind) == holds {
		reasons = append(reasons, fmt.Sprintf("asks of kind %v, this is %s", m.kinds, q.Kind))
	}
	if m.clientCan != nil && (*m.clientCan == q.ClientCan) == holds {
		reasons = append(reasons, fmt.Sprintf("match.client_can: %t, the client's is %t", *m.clientCan, q.ClientCan))
	}
	for _, f := range m.forecasts {
		if f.foresees(&q.Request, &q.Client) == holds {
			reasons = append(reasons, "match."+f.field()+": "+f.told(&q.Request, &q.Client, holds))
		}
	}
	if !m.kinds.has(q.Kind) {
		return reasons // conditions may be about another kind
	}
	for _, c := range m.conditions {
		ok, err := c.holds(e)
		switch {
		case err != nil:
			reasons = append(reasons, "match."+c.field()+": "+wire.Clean(err.Error(), maxReason))
		case ok == holds:
			reasons = append(reasons, "match."+c.field()+": "+c.told(e, holds))
		}
	}
	if holds && len(reasons) == 0 {
		reasons = append(reasons, "it matches every ask")
	}
	return reasons
}

// String lists the kinds.
func (s kinds) String() string {
	text := ""
	for _, k := range kindList {
		if s.has(k) {
			if text != "" {
				text += ", "
			}
			text += k.String()
		}
	}
	return text
}
