package exchange

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// script is one file of testdata: what the peers do, a line each, and below "---" what
// came of it. Durations of server and client begin when they are spoken to, those of
// events with the exchange.
//
//	limit NAME VALUE
//	setting on_client_error|on_timeout|on_no_channel fail|cancel
//	method METHOD
//	timeout DURATION                     of the upstream's silence
//	full process|session                 other round trips leave no room
//	server [after DURATION] result|error JSON
//	server [after DURATION] status CODE
//	server [after DURATION] cut
//	server hangs
//	client KEY [after DURATION] JSON
//	client KEY [after DURATION] error CODE TEXT
//	client KEY silent
//	event DURATION cancelled|session-ended|dropped|shutdown
type script struct {
	limits   resolver.Limits
	settings answer.Settings
	method   string
	timeout  time.Duration
	full     string
	server   []turn
	client   map[string]turn
	events   []turn
}

// turn is what a peer does, and when.
type turn struct {
	after time.Duration
	verb  string
	rest  string
}

func readScript(t *testing.T, text string) *script {
	s := &script{limits: resolver.DefaultLimits(), settings: answer.DefaultSettings(), method: wire.MethodToolsCall, client: map[string]turn{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := s.directive(line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	s.settings.InputTimeout, s.settings.Observe = s.limits.InputTimeout, s.limits.Observe
	return s
}

func (s *script) directive(line string) (err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "limit":
		name, value, _ := strings.Cut(rest, " ")
		return s.limit(name, value)
	case "setting":
		name, value, _ := strings.Cut(rest, " ")
		return s.setting(name, value)
	case "method":
		s.method = rest
	case "timeout":
		s.timeout, err = time.ParseDuration(rest)
	case "full":
		s.full = rest
	case "server":
		var x turn
		x, err = readTurn(rest)
		s.server = append(s.server, x)
	case "client":
		key, rest, _ := strings.Cut(rest, " ")
		s.client[key], err = readTurn(rest)
	case "event":
		var x turn
		x, err = readTurn("after " + rest)
		s.events = append(s.events, x)
	default:
		return fmt.Errorf("unknown directive")
	}
	return err
}

func readTurn(text string) (x turn, err error) {
	if rest, ok := strings.CutPrefix(text, "after "); ok {
		d, rest, _ := strings.Cut(rest, " ")
		if x.after, err = time.ParseDuration(d); err != nil {
			return x, err
		}
		text = rest
	}
	if text[0] == '{' {
		return turn{x.after, "result", text}, nil
	}
	x.verb, x.rest, _ = strings.Cut(text, " ")
	return x, nil
}

func (s *script) limit(name, value string) (err error) {
	l := &s.limits
	for key, at := range map[string]*time.Duration{"max_round_trip_time": &l.MaxRoundTripTime, "input_timeout": &l.InputTimeout} {
		if key == name {
			*at, err = time.ParseDuration(value)
			return err
		}
	}
	if name == "mode" {
		l.Observe = value == "observe"
		return nil
	}
	if name == "max_request_state_bytes" {
		_, err = fmt.Sscan(value, &l.MaxRequestStateBytes)
		return err
	}
	for key, at := range map[string]*int{
		"max_rounds": &l.MaxRounds, "max_state_only_rounds": &l.MaxStateOnlyRounds, "max_input_requests": &l.MaxInputRequests,
		"max_total_input_requests": &l.MaxTotalInputRequests, "max_open_round_trips": &l.MaxOpenRoundTrips, "max_open_round_trips_per_session": &l.MaxOpenRoundTripsPerSession,
	} {
		if key == name {
			_, err = fmt.Sscan(value, at)
			return err
		}
	}
	return fmt.Errorf("unknown limit")
}

func (s *script) setting(name, value string) error {
	choice := answer.Fail
	if value == "cancel" {
		choice = answer.Cancel
	}
	switch name {
	case "on_client_error":
		s.settings.OnClientError = choice
	case "on_timeout":
		s.settings.OnTimeout = choice
	case "on_no_channel":
		s.settings.OnNoChannel = choice
	default:
		return fmt.Errorf("unknown setting")
	}
	return nil
}
