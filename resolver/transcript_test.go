package resolver_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

var update = flag.Bool("update", false, "write what the machine does into the transcripts")

const (
	everything = wire.CanForm | wire.CanURL | wire.CanSampling | wire.CanRoots
	form       = `{"method":"elicitation/create","params":{"message":"?"}}`
	link       = `{"method":"elicitation/create","params":{"mode":"url","url":"https://u.example/","message":"?"}}`
	sampling   = `{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`
	roots      = `{"method":"roots/list"}`
)

// A transcript has scenarios ("## title"), and in them lines of
//
//	limits NAME=VALUE…   limits other than the defaults; mode=observe
//	> EVENT              "+5s EVENT" happens five seconds later
//	! LIMIT              a trip, perhaps "(observed)"
//	< ACTION
//
// The state is stored and restored after every step.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for i, scenario := range strings.SplitAfter("\n"+string(want), "\n## ") {
			title, _, _ := strings.Cut(scenario, "\n")
			if i == 0 {
				all.WriteString(strings.TrimPrefix(scenario, "\n"))
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txt")+"/"+title, func(t *testing.T) {
				got := newStage().play(t, scenario)
				all.WriteString(got)
				if diff := cmp.Diff(strings.Split(scenario, "\n"), strings.Split(got, "\n")); diff != "" && !*update {
					t.Errorf("-want +got\n%s", diff)
				}
			})
		}
		if *update {
			if err := os.WriteFile(file, []byte(all.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// stage plays one scenario.
type stage struct {
	state  resolver.State
	limits resolver.Limits
	now    time.Time
	trips  []string
}

func newStage() *stage {
	return &stage{limits: resolver.DefaultLimits(), now: time.UnixMilli(1_800_000_000_000)}
}

func (s *stage) Round(resolver.Round) {}
func (s *stage) Trip(l resolver.Limit, observed bool) {
	line := "! " + l.String()
	if observed {
		line += " (observed)"
	}
	s.trips = append(s.trips, line)
}

// play returns the scenario with the outcomes that the machine really has.
func (s *stage) play(t *testing.T, scenario string) string {
	var out []string
	for line := range strings.SplitSeq(scenario, "\n") {
		if strings.HasPrefix(line, "! ") || strings.HasPrefix(line, "<") {
			continue
		}
		out = append(out, line)
		switch {
		case strings.HasPrefix(line, "limits "):
			s.setLimits(t, strings.Fields(line)[1:])
		case strings.HasPrefix(line, "> "):
			action := s.step(t, s.event(t, strings.TrimPrefix(line, "> ")))
			out = append(append(out, s.trips...), describe(t, action))
			s.trips = nil
		}
	}
	return strings.Join(out, "\n")
}

func (s *stage) step(t *testing.T, e resolver.Event) (action resolver.Action) {
	s.state, action = resolver.Step(s.state, e, s.limits, s)
	stored, err := s.state.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var restored resolver.State
	if err := restored.UnmarshalBinary(stored); err != nil {
		t.Fatalf("after %T: %v", e, err)
	}
	if again, _ := restored.MarshalBinary(); !bytes.Equal(again, stored) {
		t.Fatalf("after %T: stored as %x, then as %x", e, stored, again)
	}
	s.state = restored
	return action
}

func (s *stage) event(t *testing.T, line string) resolver.Event {
	if strings.HasPrefix(line, "+") {
		var later string
		later, line, _ = strings.Cut(line[1:], " ")
		d, err := time.ParseDuration(later)
		if err != nil {
			t.Fatal(err)
		}
		s.now = s.now.Add(d)
	}
	verb, rest, _ := strings.Cut(line, " ")
	key, detail, _ := strings.Cut(rest, " ")
	ask := resolver.Ask{Key: key, Kind: wire.ElicitationForm}
	switch verb {
	case "begin":
		return resolver.Begin{At: s.now}
	case "input":
		return s.input(t, rest)
	case "answer":
		return resolver.Answered{At: s.now, Key: key, Answer: json.RawMessage(detail)}
	case "client-error":
		return resolver.AskFailed{At: s.now, Key: key, Failure: resolver.AskFailure(ask, resolver.HandlerError, detail)}
	case "timeout":
		return resolver.AskFailed{At: s.now, Key: key, Failure: resolver.AskFailure(ask, resolver.Timeout, "")}
	case "overdue":
		return resolver.Overdue{At: s.now, Key: key}
	case "no-more-answers":
		return resolver.NoMoreAnswers{At: s.now}
	case "pause-over":
		return resolver.PauseOver{At: s.now}
	case "completed":
		return resolver.Completed{At: s.now}
	case "shutdown":
		return resolver.Failed{At: s.now, Failure: resolver.ShutdownFailure()}
	case "expired":
		return resolver.Expired{At: s.now}
	}
	t.Fatalf("no such event: %s", line)
	return nil
}

// input reads "KEY=KIND… state=JSON size=BYTES", all of it optional.
func (s *stage) input(t *testing.T, line string) resolver.Event {
	kinds := map[string]string{"form": form, "link": link, "sampling": sampling, "roots": roots}
	var requests, state []byte
	size := 100
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "state":
			state = []byte(value)
		case "size":
			size, _ = strconv.Atoi(value)
		default:
			requests = fmt.Appendf(append(requests, ','), `%q:%s`, key, kinds[value])
		}
	}
	if requests != nil {
		requests[0] = '{'
		requests = append(requests, '}')
	}
	in, f := resolver.ParseInput(requests, state, size, everything)
	if f != nil {
		return resolver.Failed{At: s.now, Failure: f}
	}
	return resolver.InputRequired{At: s.now, Input: in}
}

func (s *stage) setLimits(t *testing.T, words []string) {
	l := &s.limits
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		n, _ := strconv.Atoi(value)
		d, _ := time.ParseDuration(value)
		switch name {
		case "mode":
			l.Observe = value == "observe"
		case "max_rounds":
			l.MaxRounds = n
		case "max_state_only_rounds":
			l.MaxStateOnlyRounds = n
		case "max_input_requests":
			l.MaxInputRequests = n
		case "max_total_input_requests":
			l.MaxTotalInputRequests = n
		case "max_request_state_bytes":
			l.MaxRequestStateBytes = int64(n)
		case "max_input_required_bytes":
			l.MaxInputRequiredBytes = int64(n)
		case "max_round_trip_time":
			l.MaxRoundTripTime = d
		case "input_timeout":
			l.InputTimeout = d
		default:
			t.Fatalf("no such limit: %s", name)
		}
	}
}

func describe(t *testing.T, a resolver.Action) string {
	switch a := a.(type) {
	case resolver.Send:
		line := "< send"
		if a.Responses != nil {
			line += " answers=" + string(a.Responses)
		}
		if a.State != nil {
			line += " state=" + string(a.State)
		}
		return line
	case resolver.AskAll:
		line := "< ask"
		for _, ask := range a.Asks {
			line += fmt.Sprintf(" %s=%s", ask.Key, ask.Kind)
		}
		line += " for " + a.Timeout.String()
		if a.Observe {
			line += " (observed)"
		}
		return line
	case resolver.Pause:
		return "< pause " + a.For.String()
	case resolver.Wait:
		return "< wait"
	case resolver.Done:
		return "< done"
	case resolver.Fail:
		return fmt.Sprintf("< fail %s\n<   %s", a.Failure.AppendData(nil), a.Failure)
	}
	t.Fatalf("no such action: %T", a)
	return ""
}
