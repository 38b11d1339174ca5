package resolver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestParseInput(t *testing.T) {
	for name, tc := range map[string]struct {
		requests string
		kind     wire.AskKind
		needs    wire.Can
	}{
		"form without mode":     {form, wire.ElicitationForm, wire.CanForm},
		"form":                  {`{"params":{"mode":"form"},"method":"elicitation/create"}`, wire.ElicitationForm, wire.CanForm},
		"form with a url":       {`{"method":"elicitation/create","params":{"url":7}}`, wire.ElicitationForm, wire.CanForm},
		"escaped names":         {`{"\u006dethod":"elicitation\/create","params":{"m\u006fde":"u\u0072l","url":""}}`, wire.ElicitationURL, wire.CanURL},
		"link":                  {link, wire.ElicitationURL, wire.CanURL},
		"sampling":              {sampling, wire.Sampling, wire.CanSampling},
		"sampling with context": {`{"method":"sampling/createMessage","params":{"includeContext":"allServers","tools":null}}`, wire.Sampling, wire.CanSampling},
		"sampling with tools":   {`{"method":"sampling/createMessage","params":{"tools":[]}}`, wire.Sampling, wire.CanSampling | wire.CanSamplingTools},
		"sampling, tool choice": {`{"method":"sampling/createMessage","params":{"toolChoice":{"mode":"none"}}}`, wire.Sampling, wire.CanSampling | wire.CanSamplingTools},
		"roots":                 {roots, wire.Roots, wire.CanRoots},
		"roots with params":     {`{"method":"roots/list","params":{"_meta":{}}}`, wire.Roots, wire.CanRoots},
		"unknown members":       {`{"method":"roots/list","id":1,"jsonrpc":"2.0"}`, wire.Roots, wire.CanRoots},
	} {
		t.Run(name, func(t *testing.T) {
			in, f := resolver.ParseInput([]byte(`{"q":`+tc.requests+`}`), nil, 7, tc.needs)
			if f != nil {
				t.Fatal(f)
			}
			var entry struct {
				Method string
				Params json.RawMessage
			}
			_ = json.Unmarshal([]byte(tc.requests), &entry)
			want := []resolver.Ask{{Key: "q", Kind: tc.kind, Method: entry.Method, Params: entry.Params, Needs: tc.needs}}
			if diff := cmp.Diff(want, in.Asks); diff != "" || in.State != nil || in.Size != 7 || in.Count() != 1 {
				t.Errorf("%+v\n%s", in, diff)
			}
			if _, f := resolver.ParseInput([]byte(`{"q":`+tc.requests+`}`), nil, 7, everything&^tc.kind.Needs()); f == nil || f.Kind != resolver.Protocol {
				t.Errorf("undeclared: %v, want a protocol failure", f)
			}
		})
	}
}

// The server's faults, each with the words that a person gets to read.
func TestParseInputFaults(t *testing.T) {
	const state = `"s"`
	for name, tc := range map[string]struct{ requests, state, key, text string }{
		"neither":             {"", "", "", "asks for nothing and has no requestState"},
		"empty, no state":     {`{}`, "", "", "asks for nothing and has no requestState"},
		"null":                {`null`, state, "", "inputRequests that are no object"},
		"array":               {`[]`, state, "", "inputRequests that are no object"},
		"state a number":      {`{"q":` + form + `}`, `7`, "", "a requestState that is no string"},
		"state null":          {`{"q":` + form + `}`, `null`, "", "a requestState that is no string"},
		"entry a string":      {`{"good":` + form + `,"q":"x"}`, state, "q", `input request "q" is not valid, it is no object`},
		"entry null":          {`{"q":null}`, state, "q", "it is no object"},
		"no method":           {`{"q":{"params":{}}}`, state, "q", "its method is no string"},
		"method a number":     {`{"q":{"method":1}}`, state, "q", "its method is no string"},
		"unknown method":      {`{"q":{"method":"tools/call","params":{}}}`, state, "q", `its method "tools/call" is none that a client can be asked`},
		"ping":                {`{"q":{"method":"ping"}}`, state, "q", "none that a client can be asked"},
		"no params":           {`{"q":{"method":"elicitation/create"}}`, state, "q", `elicitation (form) request "q" is not valid, it has no params`},
		"sampling, no params": {`{"q":{"method":"sampling/createMessage"}}`, state, "q", "it has no params"},
		"params an array":     {`{"q":{"method":"elicitation/create","params":[1]}}`, state, "q", "its params are no object"},
		"roots, params null":  {`{"q":{"method":"roots/list","params":null}}`, state, "q", "its params are no object"},
		"unknown mode":        {`{"q":{"method":"elicitation/create","params":{"mode":"voice"}}}`, state, "q", `its mode "voice" is unknown`},
		"mode null":           {`{"q":{"method":"elicitation/create","params":{"mode":null}}}`, state, "q", "its mode is no string"},
		"link without url":    {`{"q":{"method":"elicitation/create","params":{"mode":"url"}}}`, state, "q", `elicitation (link) request "q" is not valid, its url is no string`},
		"url a number":        {`{"q":{"method":"elicitation/create","params":{"mode":"url","url":1}}}`, state, "q", "its url is no string"},
		"tools undeclared":    {`{"q":{"method":"sampling/createMessage","params":{"tools":[]}}}`, state, "q", `sampling request "q" is not valid, it needs a capability of the client that was not declared`},
		"key twice":           {`{"q":` + form + `,"\u0071":` + link + `}`, state, "", "a member is there twice"},
		"method twice":        {`{"q":{"method":"roots/list","method":"roots/list"}}`, state, "q", "a member is there twice"},
		"mode twice":          {`{"q":{"method":"elicitation/create","params":{"mode":"form","mode":"url","url":""}}}`, state, "q", "in its params, a member is there twice"},
		"key no text":         {`{"\ud800":` + form + `}`, state, "\uFFFD", "its key is no valid Unicode text"},
	} {
		t.Run(name, func(t *testing.T) {
			in, f := resolver.ParseInput(raw(tc.requests), raw(tc.state), 100, everything)
			if f == nil || f.Kind != resolver.Protocol || f.Key != tc.key || !strings.Contains(f.Text, tc.text) {
				t.Errorf("got %+v, want %q", f, tc.text)
			}
			if in.Count() != 0 {
				t.Errorf("%d asks come with the failure", in.Count())
			}
		})
	}
}

func raw(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// A server that asks for a hundred thousand things costs no memory for each, and is
// stopped in observe mode, too.
func TestAFloodOfAsksIsOnlyCounted(t *testing.T) {
	var requests []byte
	for i := range 100_000 {
		requests = fmt.Appendf(append(requests, ','), `"k%d":%s`, i, roots)
	}
	requests[0] = '{'
	in, f := resolver.ParseInput(append(requests, '}'), nil, 10, everything)
	if f != nil || in.Count() != 100_000 || len(in.Asks) != resolver.MostInputRequests {
		t.Fatalf("%d asks, %d kept, failure %v", in.Count(), len(in.Asks), f)
	}
	l := resolver.DefaultLimits()
	l.Observe, l.MaxInputRequests = true, 1<<30
	s, _ := resolver.Step(resolver.State{}, resolver.Begin{}, l, nil)
	_, action := resolver.Step(s, resolver.InputRequired{Input: in}, l, nil)
	if fail, ok := action.(resolver.Fail); !ok || fail.Failure.Limit != resolver.MaxInputRequests || !strings.Contains(fail.Failure.Text, "(1024): the server asks for 100000") {
		t.Errorf("got %+v", action)
	}
}

// The message that an Input came from may be overwritten once Step has seen it.
func TestActionsOwnTheirMemory(t *testing.T) {
	requests, state := []byte(`{"q":`+form+`}`), []byte(`"state"`)
	in, f := resolver.ParseInput(requests, state, 100, everything)
	if f != nil {
		t.Fatal(f)
	}
	s, _ := resolver.Step(resolver.State{}, resolver.Begin{}, resolver.DefaultLimits(), nil)
	s, action := resolver.Step(s, resolver.InputRequired{Input: in}, resolver.DefaultLimits(), nil)
	copy(requests, bytes.Repeat([]byte("x"), len(requests)))
	copy(state, bytes.Repeat([]byte("x"), len(state)))
	if got := action.(resolver.AskAll).Asks[0]; string(got.Params) != `{"message":"?"}` || got.Key != "q" {
		t.Errorf("the ask became %s %s", got.Key, got.Params)
	}
	_, action = resolver.Step(s, resolver.Answered{Key: "q", Answer: []byte(`{}`)}, resolver.DefaultLimits(), nil)
	if got := action.(resolver.Send); string(got.State) != `"state"` {
		t.Errorf("the state became %s", got.State)
	}
}

// A round that parses can be asked and answered, and its answers go up under its keys.
func FuzzParseInput(f *testing.F) {
	f.Add([]byte(`{"a":`+form+`,"b":`+link+`,"c":`+sampling+`,"d":`+roots+`}`), []byte(`"s"`), uint16(everything))
	f.Add([]byte(`{}`), []byte(`""`), uint16(0))
	f.Add([]byte(`{"\ud800":`+form+`,"q":{"method":"elicitation/create","params":{"mode":"\u0075rl"}}}`), []byte(`null`), uint16(everything))
	f.Fuzz(func(t *testing.T, requests, state []byte, declared uint16) {
		if len(requests) == 0 {
			requests = nil
		}
		if len(state) == 0 {
			state = nil
		}
		if requests != nil && wire.Validate(requests) != nil || state != nil && wire.Validate(state) != nil {
			t.Skip("the scanner has refused it before")
		}
		in, fail := resolver.ParseInput(requests, state, len(requests), wire.Can(declared))
		if fail != nil {
			if fail.Kind != resolver.Protocol || !json.Valid(fail.AppendData(nil)) || len([]rune(fail.Text)) > 600 {
				t.Errorf("failure %+v", fail)
			}
			return
		}
		l := resolver.DefaultLimits()
		l.Observe, l.MaxRequestStateBytes = true, 1<<40
		s, _ := resolver.Step(resolver.State{}, resolver.Begin{}, l, nil)
		s, action := resolver.Step(s, resolver.InputRequired{Input: in}, l, nil)
		for _, ask := range in.Asks {
			if !wire.Can(declared).Has(ask.Needs) {
				t.Errorf("%+v is undeclared", ask)
			}
			if _, failed := action.(resolver.Fail); !failed {
				s, action = resolver.Step(s, resolver.Answered{Key: ask.Key, Answer: []byte(`{}`)}, l, nil)
			}
		}
		send, ok := action.(resolver.Send)
		if !ok {
			return
		}
		var want, got map[string]json.RawMessage
		if json.Unmarshal(requests, &want) != nil || json.Unmarshal(send.Responses, &got) != nil || len(want) != len(got) {
			t.Fatalf("%s answered by %s", requests, send.Responses)
		}
		for key := range want {
			if got[key] == nil {
				t.Errorf("no answer to %q in %s", key, send.Responses)
			}
		}
	})
}
