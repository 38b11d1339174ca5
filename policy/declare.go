package policy

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// Declares says what to declare upstream for a request: of each kind what the client can be asked
// (clientCan) unless a rule takes the kind whole, plus what an answering rule that may match could
// answer; rules on trial change nothing. It judges as far as the request and the client alone allow, and allocates nothing.
func (s *Set) Declares(r *Request, c *Client, _ string, clientCan wire.Can) wire.Can {
	open := allKinds
	var declared wire.Can
	for _, rule := range s.Rules() {
		if rule.Observed {
			continue
		}
		m := &rule.match
		may := m.foreseen(open, clientCan)
		if may == 0 || !m.foresees(r, c) {
			continue
		}
		switch rule.Action.(type) {
		case *Fail:
		case *Forward:
			declared |= capabilities(may) & clientCan
		case *Extra:
			// A source may hand on to the client.
			declared |= needs(may) | capabilities(may)&clientCan
		default:
			declared |= needs(may)
		}
		if m.certain() {
			open &^= may
		}
		if open == 0 {
			return declared
		}
	}
	return declared | capabilities(open)&clientCan
}

// needs is the least that has to be declared to be asked these kinds.
func needs(set kinds) (can wire.Can) {
	for _, k := range kindList {
		if set.has(k) {
			can |= k.Needs()
		}
	}
	return can
}

// capabilities is everything that belongs to these kinds.
func capabilities(set kinds) wire.Can {
	can := needs(set)
	if set.has(wire.Sampling) {
		can |= wire.CanSamplingTools | wire.CanSamplingContext
	}
	return can
}
