package resolver

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// The pauses of state-only rounds: from the first, doubling, to the longest. A round
// with asks starts them anew.
const (
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
	maxPace      = 7 // firstPause << maxPace is beyond longestPause
)

// Step takes a round trip one event further: it returns the new state and what to do
// next. s is left as it was. An event that does not fit the state, such as an answer
// that comes twice or after the end, changes nothing and gives Wait. o may be nil.
func Step(s State, e Event, l Limits, o Observer) (State, Action) {
	if o == nil {
		o = nobody{}
	}
	a := s.take(e, &l, o)
	return s, a
}

// take is Step on a copy. Nothing that the copy shares with the state before is changed.
func (s *State) take(e Event, l *Limits, o Observer) Action {
	if s.phase == over {
		return Wait{}
	}
	if begin, ok := e.(Begin); ok || s.phase == idle {
		if !ok || s.phase != idle {
			return Wait{}
		}
		*s = State{phase: sending, started: begin.At}
		return Send{}
	}
	switch e := e.(type) {
	case InputRequired:
		return s.inputRequired(e, l, o)
	case Answered:
		return s.answer(e, l, o)
	case AskFailed:
		return s.askFailed(e, l, o)
	case Overdue:
		return s.overdue(e, l, o)
	case NoMoreAnswers:
		if s.phase == asking {
			return s.next(e, l, o)
		}
	case PauseOver:
		if s.phase == pausing {
			return s.next(e, l, o)
		}
	case Completed:
		if s.phase == sending {
			s.end()
			return Done{}
		}
	case Failed:
		return s.fail("", e.Failure)
	case Expired:
		if f := s.late(e, l, o); f != nil {
			return s.fail("", f)
		}
	}
	return Wait{}
}

func (s *State) inputRequired(e InputRequired, l *Limits, o Observer) Action {
	if s.phase != sending {
		return Wait{}
	}
	in := e.Input
	o.Round(Round{Number: s.Rounds(), Asks: in.Count(), StateBytes: stateBytes(in.State), Size: in.Size})
	if f := s.trip(e, l, o); f != nil {
		return s.fail("", f)
	}
	if in.empty() {
		return s.fail("", ProtocolFailure(emptyInput))
	}
	s.server = bytes.Clone(in.State)
	if len(in.Asks) == 0 {
		pause := min(firstPause<<s.pace, longestPause)
		s.phase, s.pace = pausing, min(s.pace+1, maxPace)
		return Pause{For: pause}
	}
	s.phase, s.pace = asking, 0
	s.asked += len(in.Asks)
	s.asks = make([]pendingAsk, len(in.Asks))
	asks := slices.Clone(in.Asks)
	for i, a := range asks {
		s.asks[i] = pendingAsk{key: a.Key, kind: a.Kind}
		asks[i].Params = bytes.Clone(a.Params)
	}
	return AskAll{Asks: asks, Timeout: l.InputTimeout, Observe: l.Observe}
}

func (s *State) answer(e Answered, l *Limits, o Observer) Action {
	i := s.find(e.Key)
	if i < 0 || e.Answer == nil {
		return Wait{}
	}
	s.asks = slices.Clone(s.asks)
	s.asks[i].answer = e.Answer
	if slices.ContainsFunc(s.asks, pendingAsk.open) {
		return Wait{}
	}
	return s.next(e, l, o)
}

// next makes the retry of a round, with the answers there are.
func (s *State) next(e Event, l *Limits, o Observer) Action {
	if f := s.late(e, l, o); f != nil {
		return s.fail("", f)
	}
	send := Send{Responses: responses(s.asks), State: s.server}
	if s.phase == asking {
		s.answered++
	} else {
		s.stateOnly++
	}
	s.phase, s.asks, s.server = sending, nil, nil
	return send
}

// askFailed ends the round trip; a trip goes before the ask's own failure.
func (s *State) askFailed(e AskFailed, l *Limits, o Observer) Action {
	i := s.find(e.Key)
	if i < 0 {
		return Wait{}
	}
	if f := s.late(e, l, o); f != nil {
		return s.fail("", f)
	}
	if e.Failure != nil && e.Failure.Reason == Timeout && !s.asks[i].overdue {
		o.Trip(InputTimeout, l.Observe)
	}
	return s.fail(e.Key, e.Failure)
}

func (s *State) overdue(e Overdue, l *Limits, o Observer) Action {
	i := s.find(e.Key)
	if i < 0 || s.asks[i].overdue {
		return Wait{}
	}
	o.Trip(InputTimeout, l.Observe)
	s.asks = slices.Clone(s.asks)
	s.asks[i].overdue = true
	return Wait{}
}

func (s *State) fail(key string, f *Failure) Action {
	rounds := s.Rounds()
	s.end()
	return Fail{Failure: f.with(key, rounds)}
}

// end keeps the counts and forgets what belongs to others.
func (s *State) end() { s.phase, s.pace, s.asks, s.server = over, 0, nil, nil }

func (a pendingAsk) open() bool { return a.answer == nil }

// responses is the inputResponses object, in the order of the asks; nil without answers.
func responses(asks []pendingAsk) json.RawMessage {
	size := 1
	for _, a := range asks {
		size += len(a.key) + len(a.answer) + 4
	}
	obj := make([]byte, 0, size)
	for _, a := range asks {
		if a.open() {
			continue
		}
		obj = append(obj, ',')
		obj = wire.AppendQuoted(obj, a.key)
		obj = append(obj, ':')
		obj = append(obj, a.answer...)
	}
	if len(obj) == 0 {
		return nil
	}
	obj[0] = '{'
	return append(obj, '}')
}
