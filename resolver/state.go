package resolver

import (
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// State is a round trip between two events. It is a value: Step returns a new one and
// leaves the old one as it was. The zero State has not begun.
//
// It holds the server's requestState and people's answers: it must not be logged, and
// leaves the process sealed only.
type State struct {
	phase     phase
	timeSeen  bool // max_round_trip_time was counted, and only observed
	started   time.Time
	answered  int             // retries that carried answers
	stateOnly int             // retries that carried none
	asked     int             // asks of all rounds
	pace      int             // state-only rounds in a row, up to the longest pause
	server    json.RawMessage // the requestState to echo; nil when the server gave none
	asks      []pendingAsk    // of this round, in the server's order
}

type phase uint8

const (
	idle    phase = iota // not begun
	sending              // an attempt is under way
	asking               // asks are open
	pausing              // between a state-only round and its retry
	over
)

type pendingAsk struct {
	key     string
	kind    wire.AskKind
	overdue bool
	answer  json.RawMessage // nil while open
}

// Pending is an ask that has no answer yet.
type Pending struct {
	Key  string
	Kind wire.AskKind
}

// Rounds returns the number of attempts so far, the one under way included.
func (s State) Rounds() int {
	if s.phase == idle {
		return 0
	}
	return 1 + s.answered + s.stateOnly
}

// Asked returns the number of asks so far, those of the present round included.
func (s State) Asked() int { return s.asked }

// Deadline returns when max_round_trip_time is over and Expired is due. It is zero
// when there is nothing to wait for: not begun, over, or already counted in observe.
func (s State) Deadline(l Limits) time.Time {
	if s.phase == idle || s.phase == over || s.timeSeen {
		return time.Time{}
	}
	return s.started.Add(l.MaxRoundTripTime)
}

// Pending returns the asks of this round that are still open, in the server's order.
func (s State) Pending() []Pending {
	var open []Pending
	for _, a := range s.asks {
		if a.answer == nil {
			open = append(open, Pending{a.key, a.kind})
		}
	}
	return open
}

// Over reports whether the round trip has ended.
func (s State) Over() bool { return s.phase == over }

// find returns the index of the open ask with this key, or -1.
func (s *State) find(key string) int {
	for i, a := range s.asks {
		if a.key == key && a.answer == nil {
			return i
		}
	}
	return -1
}
