package resolver_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestFailureTexts(t *testing.T) {
	l := resolver.DefaultLimits()
	for want, f := range map[string]*resolver.Failure{
		`The server's elicitation (form) request "q" was answered by the client with an error: -32601 no.`:                                                  resolver.AskFailure(resolver.Ask{Key: "q", Kind: wire.ElicitationForm}, resolver.HandlerError, "-32601 no"),
		`The server's sampling request "q" was answered by the client with an error.`:                                                                       resolver.AskFailure(resolver.Ask{Key: "q", Kind: wire.Sampling}, resolver.HandlerError, ""),
		`The server's elicitation (form) request "q" got an answer that does not fit: port is no integer. Send the request again to be asked again.`:        resolver.AskFailure(resolver.Ask{Key: "q", Kind: wire.ElicitationForm}, resolver.InvalidResponse, "port is no integer"),
		`The server's elicitation (link) request "q" was not answered in time. Send the request again to be asked again.`:                                   resolver.AskFailure(resolver.Ask{Key: "q", Kind: wire.ElicitationURL}, resolver.Timeout, ""),
		`The server's roots request "q" cannot be put to this client. Send a request that accepts text/event-stream, or have a rule answer this.`:           resolver.AskFailure(resolver.Ask{Key: "q", Kind: wire.Roots}, resolver.NoChannel, ""),
		`The server's sampling request "q" is refused here: sampling is not allowed.`:                                                                       resolver.AskFailure(resolver.Ask{Key: "q", Kind: wire.Sampling}, resolver.Refused, "sampling is not allowed"),
		`Stopped by the limit max_open_round_trips (10000): too many requests wait for input. Send the request again later.`:                                resolver.LimitFailure(resolver.MaxOpenRoundTrips, l),
		`Stopped by the limit max_open_round_trips_per_session (32): too many requests of this session wait for input. Answer or cancel one of them first.`: resolver.LimitFailure(resolver.MaxOpenRoundTripsPerSession, l),
		`The server broke the protocol: tools/list must not answer input_required. Sending the request again is not likely to help.`:                        resolver.ProtocolFailure("tools/list must not answer input_required"),
		`The proxy is shutting down. Send the request again in a moment.`:                                                                                   resolver.ShutdownFailure(),
	} {
		if f.Error() != want {
			t.Errorf("got  %s\nwant %s", f, want)
		}
	}
}

// What a peer says is cut, and cannot forge lines or colours in someone's terminal.
func TestPeerTextIsCleaned(t *testing.T) {
	hostile := "\x1b[31mred\r\n\u202eevil\u0000" + strings.Repeat("x", 5000)
	ask := resolver.Ask{Key: hostile, Kind: wire.Sampling}
	_, broken := resolver.ParseInput([]byte(`{"q":{"method":"\u001b[31m\r\n`+strings.Repeat("x", 5000)+`"}}`), nil, 1, everything)
	for _, f := range []*resolver.Failure{resolver.AskFailure(ask, resolver.HandlerError, hostile), broken} {
		for _, text := range []string{f.Text, string(f.AppendData(nil))} {
			if strings.ContainsAny(text, "\x1b\r\n\x00\u202e") || strings.Contains(text, `\u`) || len(text) > 450 {
				t.Errorf("%d bytes: %q", len(text), text)
			}
		}
	}
}

func TestFailureData(t *testing.T) {
	for want, f := range map[string]*resolver.Failure{
		`{"kind":"mrtr_round_limit","limit":"max_rounds","rounds":8}`:                  {Kind: resolver.RoundLimit, Limit: resolver.MaxRounds, Rounds: 8},
		`{"kind":"input_handler","reason":"invalid_response","key":"a\"b","rounds":1}`: {Kind: resolver.InputHandler, Reason: resolver.InvalidResponse, Key: `a"b`, Rounds: 1},
		`{"kind":"protocol","rounds":0}`:                                               {Kind: resolver.Protocol},
		`{"kind":"shutting_down","rounds":2}`:                                          {Kind: resolver.ShuttingDown, Rounds: 2},
	} {
		if got := string(f.AppendData(nil)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The names are those of the configuration, the metrics and the failures.
func TestNames(t *testing.T) {
	var limits, reasons []string
	for l := resolver.MaxRounds; l.String() != ""; l++ {
		limits = append(limits, l.String())
	}
	for r := resolver.HandlerError; r.String() != ""; r++ {
		reasons = append(reasons, r.String())
	}
	want := []string{"max_rounds", "max_state_only_rounds", "max_input_requests", "max_total_input_requests", "max_request_state_bytes", "max_input_required_bytes",
		"max_round_trip_time", "input_timeout", "max_open_round_trips", "max_open_round_trips_per_session"}
	if diff := cmp.Diff(want, limits); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"handler_error", "invalid_response", "timeout", "no_channel", "refused"}, reasons); diff != "" {
		t.Error(diff)
	}
}

type rounds []resolver.Round

func (r *rounds) Round(x resolver.Round)    { *r = append(*r, x) }
func (r *rounds) Trip(resolver.Limit, bool) {}

func TestEveryRoundIsReported(t *testing.T) {
	l := resolver.DefaultLimits()
	l.MaxInputRequests = 1
	var seen rounds
	s, _ := resolver.Step(resolver.State{}, resolver.Begin{}, l, &seen)
	for _, tc := range []struct{ requests, state string }{{"", `"abc"`}, {`{"a":` + form + `,"b":` + form + `}`, ""}} {
		in, f := resolver.ParseInput(raw(tc.requests), raw(tc.state), 123, everything)
		if f != nil {
			t.Fatal(f)
		}
		s, _ = resolver.Step(s, resolver.InputRequired{Input: in}, l, &seen)
		s, _ = resolver.Step(s, resolver.PauseOver{}, l, &seen)
	}
	want := rounds{{Number: 1, Asks: 0, StateBytes: 3, Size: 123}, {Number: 2, Asks: 2, StateBytes: -1, Size: 123}}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}
