package policy

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// Rule is one rule of a Set.
type Rule struct {
	Name   string
	Action Action
	// Observed: the rule is on trial. It tells what it would decide, and decides nothing: the ask goes
	// the way it goes without the rule.
	Observed bool
	match    match
}

// match is a checked match. All of it must hold.
type match struct {
	// kinds of ask it can match: by method and mode, by members that only some kinds have, and by
	// what the rule's action can answer.
	kinds     kinds
	clientCan *bool
	forecasts []forecast
	// conditions, the cheap ones first: `when` comes last.
	conditions []condition
	// readsParams: what the ask says decides, so it must not be ambiguous.
	readsParams bool

	mayConsent bool     // `mode: url` and `url_host` are there
	named      []string // by `fields`
}

// foresees judges all that is known before an ask, but kind and client_can.
func (m *match) foresees(r *Request, c *Client) bool {
	for _, f := range m.forecasts {
		if !f.foresees(r, c) {
			return false
		}
	}
	return true
}

// foreseen gives those kinds out of set that the match may hold for, by kind and client_can.
func (m *match) foreseen(set kinds, clientCan wire.Can) kinds {
	set &= m.kinds
	if m.clientCan == nil {
		return set
	}
	for _, k := range kindList {
		if clientCan.Has(k.Needs()) != *m.clientCan {
			set &^= kindsOf(k)
		}
	}
	return set
}

// certain: whatever it is foreseen for, it holds for.
func (m *match) certain() bool { return len(m.conditions) == 0 }

// holds judges a question. known says what m.foresees said of its request and client.
func (m *match) holds(e *evaluation) (bool, string, error) {
	q := e.q
	if !m.kinds.has(q.Kind) || m.clientCan != nil && *m.clientCan != q.ClientCan || !m.foresees(&q.Request, &q.Client) {
		return false, "", nil
	}
	if m.readsParams {
		if err := e.checkParams(); err != nil {
			return false, "match", err
		}
	}
	for _, c := range m.conditions {
		switch ok, err := c.holds(e); {
		case err != nil:
			return false, "match." + c.field(), err
		case !ok:
			return false, "", nil
		}
	}
	return true, "", nil
}
