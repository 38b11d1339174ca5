package resolver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// states are one of every phase.
func states(t testing.TB) map[string]resolver.State {
	l := resolver.DefaultLimits()
	at := time.UnixMilli(1_800_000_000_123)
	play := func(events ...resolver.Event) (s resolver.State) {
		for _, e := range events {
			s, _ = resolver.Step(s, e, l, nil)
		}
		return s
	}
	parse := func(requests, state string) resolver.InputRequired {
		in, f := resolver.ParseInput(raw(requests), raw(state), 100, everything)
		if f != nil {
			t.Fatal(f)
		}
		return resolver.InputRequired{At: at, Input: in}
	}
	begin := resolver.Begin{At: at}
	asks := parse(`{"one":`+form+`,"two":`+roots+`}`, `"s1"`)
	return map[string]resolver.State{
		"idle":     play(),
		"sending":  play(begin),
		"asking":   play(begin, asks),
		"answered": play(begin, asks, resolver.Answered{At: at, Key: "two", Answer: json.RawMessage(`{"roots":[]}`)}, resolver.Overdue{At: at, Key: "one"}),
		"pausing":  play(begin, parse("", `"p1"`)),
		"over":     play(begin, resolver.Completed{At: at}),
	}
}

func TestStatesAreSmall(t *testing.T) {
	for name, most := range map[string]int{"idle": 2, "sending": 12, "asking": 32, "answered": 45, "pausing": 20, "over": 12} {
		if b := stored(states(t)[name]); len(b) > most {
			t.Errorf("%s takes %d bytes, want at most %d: %x", name, len(b), most, b)
		}
	}
}

func TestStateSurvivesStorage(t *testing.T) {
	for name, s := range states(t) {
		b := stored(s)
		var got resolver.State
		if err := got.UnmarshalBinary(b); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		clear(b) // the state keeps nothing of it
		l := resolver.DefaultLimits()
		if got.Rounds() != s.Rounds() || !got.Deadline(l).Equal(s.Deadline(l)) || got.Over() != s.Over() || !bytes.Equal(stored(got), stored(s)) {
			t.Errorf("%s came back as %+v, want %+v", name, got, s)
		}
		if diff := cmp.Diff(s.Pending(), got.Pending()); diff != "" {
			t.Errorf("%s: open asks %s", name, diff)
		}
	}
}

func TestPending(t *testing.T) {
	want := []resolver.Pending{{Key: "one", Kind: wire.ElicitationForm}}
	if diff := cmp.Diff(want, states(t)["answered"].Pending()); diff != "" {
		t.Error(diff)
	}
}

// One state has one encoding; whatever else is no state.
func TestForeignBytesAreNoState(t *testing.T) {
	asking := stored(states(t)["asking"])
	for name, b := range map[string][]byte{
		"nothing":              {},
		"only a version":       {1},
		"later version":        {2, 0},
		"idle with more":       {1, 0, 0},
		"idle with flags":      {1, 8},
		"unknown phase":        {1, 5, 0, 0, 0, 0, 0},
		"unknown flag":         {1, 0x21, 0, 0, 0, 0, 0},
		"trailing byte":        append(bytes.Clone(asking), 0),
		"long varint":          {1, 1, 0x80, 0, 0, 0, 0, 0},
		"varint too big":       {1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0},
		"count too big":        {1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 0},
		"time too far":         {1, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0, 0, 0, 0},
		"pace too high":        {1, 1, 0, 0, 0, 0, 8},
		"sending with state":   {1, 0x11, 0, 0, 0, 0, 0, 2, '"', '"'},
		"pausing, no state":    {1, 3, 0, 0, 0, 0, 1},
		"pausing, no pause":    {1, 0x13, 0, 0, 0, 0, 0, 2, '"', '"'},
		"state no string":      {1, 0x13, 0, 0, 0, 0, 1, 2, '{', '}'},
		"state no JSON":        {1, 0x13, 0, 0, 0, 0, 1, 2, '"', 'x'},
		"asking nothing":       {1, 2, 0, 0, 0, 0, 0, 0},
		"more asks than bytes": {1, 2, 0, 0, 0, 9, 0, 0xff, 7, 1, 1, 'a'},
		"more asks than asked": {1, 2, 0, 0, 0, 1, 0, 2, 1, 1, 'a', 1, 1, 'b'},
		"all asks answered":    {1, 2, 0, 0, 0, 1, 0, 1, 0x11, 1, 'a', 2, '{', '}'},
		"ask of no kind":       {1, 2, 0, 0, 0, 1, 0, 1, 0, 1, 'a'},
		"ask with a flag":      {1, 2, 0, 0, 0, 1, 0, 1, 0x21, 1, 'a'},
		"same key twice":       {1, 2, 0, 0, 0, 2, 0, 2, 1, 1, 'a', 1, 1, 'a'},
		"key no UTF-8":         {1, 2, 0, 0, 0, 1, 0, 1, 1, 1, 0xff},
		"over with a pause":    {1, 4, 0, 0, 0, 0, 1},
	} {
		s := states(t)["pausing"]
		if err := s.UnmarshalBinary(b); err == nil {
			t.Errorf("%s: %x is taken", name, b)
		}
		if !bytes.Equal(stored(s), stored(states(t)["pausing"])) {
			t.Errorf("%s: the failure changed the state", name)
		}
	}
	for n := range asking {
		var s resolver.State
		if s.UnmarshalBinary(asking[:n]) == nil {
			t.Errorf("the first %d of %d bytes are taken", n, len(asking))
		}
	}
}

// A full round fits, however many asks are answered already.
func TestTheLargestRoundIsStored(t *testing.T) {
	asks := map[string]json.RawMessage{}
	for i := range resolver.MostInputRequests {
		asks[fmt.Sprint("k", i)] = json.RawMessage(roots)
	}
	requests, _ := json.Marshal(asks)
	in, _ := resolver.ParseInput(requests, nil, 10, everything)
	l := resolver.DefaultLimits()
	l.Observe = true
	s, _ := resolver.Step(resolver.State{}, resolver.Begin{}, l, nil)
	s, _ = resolver.Step(s, resolver.InputRequired{Input: in}, l, nil)
	s, _ = resolver.Step(s, resolver.Answered{Key: "k7", Answer: []byte(`{}`)}, l, nil)
	var got resolver.State
	if err := got.UnmarshalBinary(stored(s)); err != nil || len(got.Pending()) != resolver.MostInputRequests-1 {
		t.Errorf("%d asks open, %v", len(got.Pending()), err)
	}
}

// What is taken has exactly one encoding, and steps without panic.
func FuzzUnmarshalBinary(f *testing.F) {
	for _, s := range states(f) {
		f.Add(stored(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var s resolver.State
		if s.UnmarshalBinary(b) != nil {
			return
		}
		if again := stored(s); !bytes.Equal(again, b) {
			t.Fatalf("%x is stored as %x", b, again)
		}
		l := resolver.DefaultLimits()
		for _, p := range s.Pending() {
			s, _ = resolver.Step(s, resolver.Answered{At: s.Deadline(l).Add(-1), Key: p.Key, Answer: []byte(`{}`)}, l, nil)
		}
		s, _ = resolver.Step(s, resolver.PauseOver{At: s.Deadline(l).Add(-1)}, l, nil)
		s, _ = resolver.Step(s, resolver.Expired{At: s.Deadline(l)}, l, nil)
		if !s.Over() && s.Rounds() != 0 && !s.Deadline(l).IsZero() {
			t.Errorf("%x does not expire", b)
		}
	})
}
