package exchange

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Open is a round trip that goes on with a request to come: the client keeps it until
// then, and the process does not.
type Open struct {
	// State is the round trip, which waits for answers or, in a state-only round, for
	// the client to ask again.
	State resolver.State
	// Asks are the client's, in the server's order; none in a state-only round.
	Asks []resolver.Ask
	// Partly says that the server asked for more: rules have answered the rest.
	Partly bool
	// Whole is the server's input_required result.
	Whole json.RawMessage
}

// Resumption is the request with which an Open round trip goes on.
type Resumption struct {
	State resolver.State
	// Asked is when the client got the asks.
	Asked time.Time
	// Answers are the client's, by key, to asks that State has open; not all need be
	// there.
	Answers map[string][]byte
}

// Pass is Run for a client that is told by the response itself what the server asks, and
// answers with its next request: rules answer what they can, and when some asks are
// left, or in a state-only round, the Ending is Open. from is what the request brings
// for a round trip that was; nil for a first request. An ask that is left and has an
// answer among r.Early is the client's as any other, and has come back at once. The limit
// of open round trips is not for these: they cost nothing while they wait. What
// r's Caller says of itself has answer.Later for a channel.
func (s *Service) Pass(x *Exchange, r *Request, c Client, from *Resumption) Ending {
	t := &trip{service: s, exchange: x, request: r, client: c, ctx: x.Context(), limits: s.limitsOf(r.Call), passes: true}
	defer t.close()
	if from == nil {
		return t.run(t.step(resolver.Begin{At: x.Began}))
	}
	t.state, t.before = from.State, from.State.Rounds()
	t.bound()
	return t.run(t.resume(from))
}

// resume takes the round trip on with what the client's request brings.
func (t *trip) resume(from *Resumption) resolver.Action {
	open := t.state.Pending()
	if len(open) == 0 {
		return t.step(resolver.PauseOver{At: time.Now()})
	}
	c := *t.request.Caller.Ask()
	c.Round, c.Limits = t.state.Rounds(), t.limits
	late := false
	c.Overdue = func(string) { late = true }
	for _, ask := range open {
		raw := from.Answers[ask.Key]
		if raw == nil {
			continue
		}
		late = false
		got, f := t.service.Desk.Take(&c, answer.Taken{Key: ask.Key, Kind: ask.Kind, Asked: from.Asked, Answer: raw})
		if late {
			t.step(resolver.Overdue{At: time.Now(), Key: ask.Key})
		}
		if action := t.step(event(ask.Key, got, f)); !waits(action) {
			return action
		}
	}
	return t.step(resolver.NoMoreAnswers{At: time.Now()})
}

// early goes on as if the client had been handed the asks that are left and had come back
// with the answers that it gave to them ahead: once each, and where they are for a part of
// the asks with that part. It waits when there are none.
func (t *trip) early() resolver.Action {
	var answers map[string][]byte
	for _, ask := range t.state.Pending() {
		raw, given := t.request.Early[ask.Key]
		if !given {
			continue
		}
		if answers == nil {
			answers = map[string][]byte{}
		}
		answers[ask.Key] = raw
		delete(t.request.Early, ask.Key)
	}
	if answers == nil {
		return resolver.Wait{}
	}
	return t.resume(&Resumption{State: t.state, Asked: time.Now(), Answers: answers})
}

func waits(a resolver.Action) bool {
	_, ok := a.(resolver.Wait)
	return ok
}

// bound puts the rest of the round trip under its deadline, which is only counted where
// limits are observed.
func (t *trip) bound() {
	if !t.limits.Observe {
		t.until = t.state.Deadline(*t.limits)
	}
}

// handOver is the ending of an exchange whose round trip goes on with another.
func (t *trip) handOver() Ending {
	e := t.ending(nil)
	if cause := context.Cause(t.ctx); cause != nil {
		return t.interruption(e, cause)
	}
	e.Open = &Open{State: t.state, Whole: t.whole}
	open := t.state.Pending()
	for _, ask := range t.asks {
		if len(open) > 0 && ask.Key == open[0].Key {
			e.Open.Asks, open = append(e.Open.Asks, ask), open[1:]
		}
	}
	e.Open.Partly = len(e.Open.Asks) < len(t.asks)
	return e
}

// LimitsOf gives the limits of a request by its method and name.
func (s *Service) LimitsOf(method, name string) *resolver.Limits {
	return s.limitsOf(&upstream.Call{Method: method, Name: name})
}
