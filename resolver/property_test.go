package resolver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Whatever happens in whatever order, a round trip keeps its limits, sends what
// belongs to the round and nothing else, ends once, and survives being stored.
func TestAnySequenceOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &watch{t: t, limits: drawLimits(t), now: time.UnixMilli(1_700_000_000_000)}
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			w.step(w.drawEvent())
		}
	})
}

func drawLimits(t *rapid.T) resolver.Limits {
	l := resolver.DefaultLimits()
	l.Observe = rapid.Bool().Draw(t, "observe")
	l.MaxRounds = rapid.IntRange(1, 4).Draw(t, "max_rounds")
	l.MaxStateOnlyRounds = rapid.IntRange(1, 4).Draw(t, "max_state_only_rounds")
	l.MaxInputRequests = rapid.IntRange(1, 3).Draw(t, "max_input_requests")
	l.MaxTotalInputRequests = rapid.IntRange(1, 8).Draw(t, "max_total_input_requests")
	l.MaxRequestStateBytes = int64(rapid.IntRange(1, 4).Draw(t, "max_request_state_bytes"))
	l.MaxRoundTripTime = time.Duration(rapid.IntRange(1, 100).Draw(t, "max_round_trip_time")) * time.Minute
	return l
}

// watch follows a round trip from outside and says when it does what it must not.
type watch struct {
	t      *rapid.T
	limits resolver.Limits
	now    time.Time
	state  resolver.State
	trips  []resolver.Limit

	began     time.Time
	ended     bool
	sends     int // attempts
	carried   int // of these, with answers or the first
	asked     int
	lastState string
	open      map[string]bool
	answers   map[string]string
}

func (w *watch) Round(resolver.Round)             {}
func (w *watch) Trip(l resolver.Limit, seen bool) { w.trips = append(w.trips, l) }

func (w *watch) drawEvent() resolver.Event {
	w.now = w.now.Add(time.Duration(rapid.IntRange(0, 120).Draw(w.t, "seconds")) * time.Second)
	key := rapid.SampledFrom([]string{"a", "b", "c", "d", "\""}).Draw(w.t, "key")
	switch rapid.IntRange(0, 12).Draw(w.t, "event") {
	case 0, 1, 2, 3:
		return resolver.InputRequired{At: w.now, Input: w.drawInput()}
	case 4, 5, 6, 7:
		return resolver.Answered{At: w.now, Key: key, Answer: json.RawMessage(fmt.Sprintf(`{"n":%d}`, w.sends))}
	case 8, 9:
		return resolver.PauseOver{At: w.now}
	case 10:
		return resolver.Begin{At: w.now}
	case 11:
		return resolver.Overdue{At: w.now, Key: key}
	}
	return rapid.SampledFrom([]resolver.Event{
		resolver.Completed{At: w.now}, resolver.Expired{At: w.now}, resolver.NoMoreAnswers{At: w.now},
		resolver.Failed{At: w.now, Failure: resolver.ShutdownFailure()},
		resolver.AskFailed{At: w.now, Key: key, Failure: resolver.AskFailure(resolver.Ask{Key: key}, resolver.Timeout, "")},
	}).Draw(w.t, "ending")
}

func (w *watch) drawInput() resolver.Input {
	asks := map[string]json.RawMessage{}
	for _, key := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "\""}), 0, 4).Draw(w.t, "asks") {
		asks[key] = json.RawMessage(form)
	}
	requests, _ := json.Marshal(asks)
	var state []byte
	if n := rapid.IntRange(-1, 5).Draw(w.t, "state"); n >= 0 {
		state = fmt.Appendf(nil, `"%0*d"`, n, w.sends)
	}
	in, f := resolver.ParseInput(requests, state, 100, everything)
	if f != nil {
		return resolver.Input{}
	}
	return in
}

func (w *watch) step(e resolver.Event) {
	before, _ := w.state.MarshalBinary()
	var restored resolver.State
	if err := restored.UnmarshalBinary(before); err != nil {
		w.t.Fatalf("stored state %x: %v", before, err)
	}
	next, action := resolver.Step(w.state, e, w.limits, w)
	other, same := resolver.Step(restored, e, w.limits, nil)
	if diff := cmp.Diff(action, same); diff != "" {
		w.t.Fatalf("%T: the restored state acts otherwise:\n%s", e, diff)
	}
	if after, _ := w.state.MarshalBinary(); !bytes.Equal(before, after) {
		w.t.Fatalf("%T changed the state it was given", e)
	}
	if a, b := stored(next), stored(other); !bytes.Equal(a, b) {
		w.t.Fatalf("%T: the restored state becomes %x, want %x", e, b, a)
	}
	w.state = next
	w.judge(e, action)
	if w.state.Rounds() != w.sends {
		w.t.Fatalf("%d rounds after %d attempts", w.state.Rounds(), w.sends)
	}
	if w.state.Over() != w.ended {
		w.t.Fatalf("over: %v, ended: %v", w.state.Over(), w.ended)
	}
}

func stored(s resolver.State) []byte {
	b, _ := s.MarshalBinary()
	return b
}

func (w *watch) judge(e resolver.Event, action resolver.Action) {
	if _, waits := action.(resolver.Wait); !waits && w.ended {
		w.t.Fatalf("%T after the end", action)
	}
	if a, ok := e.(resolver.Answered); ok && w.open[a.Key] {
		delete(w.open, a.Key)
		w.answers[a.Key] = string(a.Answer)
	}
	late := w.sends > 0 && !w.now.Before(w.began.Add(w.limits.MaxRoundTripTime)) && !w.limits.Observe
	switch a := action.(type) {
	case resolver.Send:
		w.sent(e, a, late)
	case resolver.AskAll:
		w.asking(e, a, late)
	case resolver.Pause:
		w.lastState = string(e.(resolver.InputRequired).Input.State)
		if a.For < 50*time.Millisecond || a.For > 5*time.Second || late {
			w.t.Fatalf("pause of %v, late: %v", a.For, late)
		}
	case resolver.Fail:
		w.ended = true
		if f := a.Failure; f.Rounds != w.sends || f.Text == "" || (f.Kind == resolver.RoundLimit) != (f.Limit != 0) {
			w.t.Fatalf("failure %+v after %d attempts", f, w.sends)
		}
	case resolver.Done:
		w.ended = true
	}
}

func (w *watch) sent(e resolver.Event, a resolver.Send, late bool) {
	if w.sends == 0 {
		w.began = w.now
	}
	_, begins := e.(resolver.Begin)
	if begins != (w.sends == 0) || late || string(a.State) != w.lastState {
		w.t.Fatalf("%T: attempt %d, late: %v, state %s, want %s", e, w.sends+1, late, a.State, w.lastState)
	}
	var got map[string]json.RawMessage
	if a.Responses != nil {
		if err := json.Unmarshal(a.Responses, &got); err != nil {
			w.t.Fatalf("answers %s: %v", a.Responses, err)
		}
	}
	for key, answer := range got {
		if w.answers[key] != string(answer) {
			w.t.Fatalf("answer to %q is %s, want %s", key, answer, w.answers[key])
		}
	}
	_, partly := e.(resolver.NoMoreAnswers)
	if len(got) != len(w.answers) || (len(w.open) > 0 && !partly) {
		w.t.Fatalf("%d answers go up, %d were given, %d asks are open", len(got), len(w.answers), len(w.open))
	}
	w.sends++
	if begins || len(got) > 0 {
		w.carried++
	}
	if w.carried > w.limits.MaxRounds && !w.limits.Observe {
		w.t.Fatalf("%d rounds, the limit is %d", w.carried, w.limits.MaxRounds)
	}
	if w.sends > w.limits.MaxRounds+w.limits.MaxStateOnlyRounds && !w.limits.Observe {
		w.t.Fatalf("%d attempts, the limits are %d and %d", w.sends, w.limits.MaxRounds, w.limits.MaxStateOnlyRounds)
	}
	w.lastState, w.open, w.answers = "", nil, nil
}

func (w *watch) asking(e resolver.Event, a resolver.AskAll, late bool) {
	w.lastState = string(e.(resolver.InputRequired).Input.State)
	w.open, w.answers = map[string]bool{}, map[string]string{}
	for _, ask := range a.Asks {
		w.open[ask.Key] = true
	}
	w.asked += len(a.Asks)
	if w.limits.Observe {
		return
	}
	if late || len(a.Asks) > w.limits.MaxInputRequests || w.asked > w.limits.MaxTotalInputRequests || len(w.trips) > 0 && w.trips[0] != resolver.InputTimeout {
		w.t.Fatalf("%d asks, %d in all, late: %v, trips %v", len(a.Asks), w.asked, late, w.trips)
	}
}
