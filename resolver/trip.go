package resolver

import "encoding/json"

// trip holds a round against the limits, in their order, and returns the failure of
// the first that stops it. What is only observed is counted, the first of a round.
func (s *State) trip(e InputRequired, l *Limits, o Observer) *Failure {
	in, observed := e.Input, false
	count := in.Count()
	total, asks := s.asked+count, count > 0
	for _, c := range [...]struct {
		limit Limit
		hit   bool
		hard  bool // enforced in observe mode, too
		got   int64
	}{
		{limit: MaxRounds, hit: asks && 1+s.answered >= l.MaxRounds},
		{limit: MaxStateOnlyRounds, hit: !asks && s.stateOnly >= l.MaxStateOnlyRounds},
		{limit: MaxInputRequests, hit: count > min(l.MaxInputRequests, MostInputRequests), hard: count > MostInputRequests, got: int64(count)},
		{limit: MaxTotalInputRequests, hit: asks && total > l.MaxTotalInputRequests, got: int64(total)},
		{limit: MaxRequestStateBytes, hit: int64(stateBytes(in.State)) > l.MaxRequestStateBytes, got: int64(stateBytes(in.State))},
		{limit: MaxInputRequiredBytes, hit: int64(in.Size) > l.MaxInputRequiredBytes, got: int64(in.Size)},
		{limit: MaxRoundTripTime, hit: s.overTime(e, l)},
	} {
		if !c.hit {
			continue
		}
		if c.hard || !l.Observe || !c.limit.observable() {
			o.Trip(c.limit, false)
			return tripped(c.limit, *l, c.got)
		}
		if observed {
			continue
		}
		o.Trip(c.limit, true)
		observed = true
		s.timeSeen = s.timeSeen || c.limit == MaxRoundTripTime
	}
	return nil
}

// late holds the time against max_round_trip_time; one that is only observed is counted
// once a round trip.
func (s *State) late(e Event, l *Limits, o Observer) *Failure {
	if !s.overTime(e, l) {
		return nil
	}
	o.Trip(MaxRoundTripTime, l.Observe)
	if l.Observe {
		s.timeSeen = true
		return nil
	}
	return tripped(MaxRoundTripTime, *l, 0)
}

func (s *State) overTime(e Event, l *Limits) bool {
	return !s.timeSeen && !e.when().Before(s.Deadline(*l))
}

// stateBytes is the size of a requestState without its quotes; -1 for none.
func stateBytes(raw json.RawMessage) int {
	if raw == nil {
		return -1
	}
	return len(raw) - len(`""`)
}
