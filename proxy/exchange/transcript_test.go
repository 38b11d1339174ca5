package exchange

import (
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

var update = flag.Bool("update", false, "write what happens into the transcripts")

// everything is what the client of the transcripts can be asked.
const everything = wire.CanForm | wire.CanURL | wire.CanSampling | wire.CanSamplingTools | wire.CanSamplingContext | wire.CanRoots

// TestTranscripts plays the scripts of testdata and compares what happened with what is
// written below them.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source, want, _ := strings.Cut(string(text), "---\n")
			got := ""
			synctest.Test(t, func(t *testing.T) { got = play(t, readScript(t, source)) })
			if *update {
				if err := os.WriteFile(file, []byte(source+"---\n"+got), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// play runs one exchange and tells what happened.
func play(t *testing.T, s *script) string {
	rec := &record{began: time.Now()}
	peer := &client{record: rec, turns: s.client}
	registry := prometheus.NewRegistry()
	m := metrics.New(registry).Route("/mcp")
	up := upstream.New(upstream.Options{
		URL: &url.URL{Scheme: "http", Host: "server.example", Path: "/mcp"}, Era: upstream.Modern, MaxMessageBytes: 1 << 20,
		Timeout: s.timeout, CallTimeout: s.timeout, Metrics: m, Transport: &server{record: rec, turns: s.server},
	})
	defer up.Close()
	gate := NewGate()
	service := &Service{Upstream: up, Desk: answer.NewDesk(answer.Options{Settings: s.settings, Metrics: m}), Limits: s.limits, Gate: gate, Metrics: m}
	vacate := crowd(gate, s)
	exchanges := NewRegistry(1)
	x, err := exchanges.Begin(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range s.events {
		go func() {
			if pass(x.Context(), e.after, false) {
				rec.add("event %s", e.verb)
				happen(x, exchanges, e.verb)
			}
		}()
	}
	e := service.Run(x, request(t, s.method, peer), peer)
	rec.add("ending %s", describe(&e))
	service.Count(x, metrics.Legacy, metrics.MethodOf(s.method), e)
	x.Leave()
	synctest.Wait()
	vacate()
	if gate.open != 0 || len(gate.sessions) != 0 || exchanges.Running() != 0 {
		t.Errorf("left behind: %d round trips, %d sessions, %d exchanges", gate.open, len(gate.sessions), exchanges.Running())
	}
	return rec.String() + counted(t, registry)
}

// crowd fills the gate as far as the script says.
func crowd(g *Gate, s *script) (vacate func()) {
	var in []session.ID
	switch s.full {
	case "process":
		for i := range s.limits.MaxOpenRoundTrips {
			in = append(in, session.ID{1, byte(i)})
		}
	case "session":
		in = make([]session.ID, s.limits.MaxOpenRoundTripsPerSession)
	}
	for _, id := range in {
		g.enter(id, &s.limits)
	}
	return func() {
		for _, id := range in {
			g.leave(id)
		}
	}
}

// happen is an event from outside.
func happen(x *Exchange, exchanges *Registry, what string) {
	switch what {
	case "cancelled":
		x.Cancelled()
	case "session-ended":
		x.SessionEnded()
	case "dropped":
		x.End(ErrDropped)
	case "shutdown":
		ctx, cancel := expired()
		defer cancel()
		exchanges.Drain(ctx)
	default:
		panic(what)
	}
}

func request(t *testing.T, method string, peer *client) *Request {
	var msg wire.Scanner
	msg.Init(wire.FromClient, nil)
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":"release"}}`, method)
	if err := msg.Feed([]byte(text)); err != nil || msg.End() != nil {
		t.Fatal(err)
	}
	about := &answer.Context{Route: "/mcp", Request: policy.Request{Method: method}, Client: policy.Client{Can: everything}, Can: everything, Channel: peer}
	return &Request{
		Call:       &upstream.Call{Request: &msg, Method: method, Name: "release"},
		Answerable: everything, Caller: caller{about},
	}
}

// caller is a client that has no credential.
type caller struct{ about *answer.Context }

func (c caller) Ask() *answer.Context            { return c.about }
func (c caller) Principal() session.Digest       { return session.Digest{} }
func (c caller) Credential() upstream.Credential { return upstream.Credential{} }

func describe(e *Ending) string {
	text := fmt.Sprintf("%s, %d rounds", e.Outcome, e.Rounds)
	switch {
	case e.Failure != nil:
		return text + ": " + string(e.Failure.AppendData(nil)) + " " + e.Failure.Text
	case e.Err != nil:
		return text + ": " + e.Err.Error()
	case e.Cause != nil:
		return text + ": " + e.Cause.Error()
	}
	return text
}

// counted lists the counters that are not zero, and gauges that should be.
func counted(t *testing.T, g prometheus.Gatherer) string {
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, f := range families {
		name := strings.TrimPrefix(f.GetName(), "mrtr_proxy_")
		for _, m := range f.GetMetric() {
			var value float64
			switch {
			case m.Counter != nil:
				value = m.Counter.GetValue()
			case m.Histogram != nil && name == "rounds":
				value = m.Histogram.GetSampleSum()
			case name == "round_trips_open":
				value = m.Gauge.GetValue()
			}
			if value != 0 {
				lines[fmt.Sprintf("counted %s%s %g\n", name, labels(m), value)] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), "")
}

func labels(m *dto.Metric) string {
	var text strings.Builder
	for _, l := range m.GetLabel() {
		if l.GetName() != "route" && l.GetName() != "method" && l.GetName() != "era" {
			text.WriteString(" " + l.GetValue())
		}
	}
	return text.String()
}

var _ answer.Channel = (*client)(nil)
var _ Client = (*client)(nil)
var _ resolver.Observer = observer{}
