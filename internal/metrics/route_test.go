package metrics

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

func TestMethodsOfPeersAreBounded(t *testing.T) {
	t.Parallel()
	for m := range methodCount {
		if got := MethodOf(m.String()); got != m {
			t.Errorf("MethodOf(%q) = %v", m, got)
		}
		if label := wire.MethodLabel(m.String()); label != m.String() {
			t.Errorf("wire calls %q %q", m, label)
		}
	}
	for _, name := range []string{"", "other", "made/up", "tools/call ", "Tools/Call", "notifications/initialized", "tools/call\n"} {
		if got := MethodOf(name); got != MethodOther {
			t.Errorf("MethodOf(%q) = %v, want other", name, got)
		}
	}
}

func TestHandlesCountWhatTheySay(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	m := New(reg)
	r := m.Route("/mcp")
	r.Requests(Legacy, MethodToolsCall, InputFailed).Inc()
	r.Requests(Modern, MethodToolsCall, InputFailed).Add(2)
	r.Attempts(MethodPromptsGet, AttemptInputRequired).Inc()
	r.Rounds(MethodToolsCall, OK).Observe(3)
	r.Source("client").Asks(wire.Sampling, AskAnswered).Inc()
	r.Source("policy").Asks(wire.Sampling, AskRefused).Add(4)
	r.Source("client").Wait(wire.ElicitationURL).Observe(2)
	r.Streams(StreamStanding).Inc()
	r.LimitTrip("max_rounds", true)
	m.Dropped(Upstream, DropLateAnswer)
	m.Route("/other").Requests(Legacy, MethodToolsCall, OK).Add(100)
	for _, tc := range []struct {
		want   float64
		name   string
		labels []string
	}{
		{1, "requests_total", []string{"route", "/mcp", "era", "legacy", "method", "tools/call", "outcome", "input_failed"}},
		{2, "requests_total", []string{"route", "/mcp", "era", "modern"}},
		{1, "attempts_total", []string{"method", "prompts/get", "outcome", "input_required"}},
		{1, "rounds", []string{"method", "tools/call", "outcome", "ok"}},
		{1, "asks_total", []string{"kind", "sampling", "source", "client", "outcome", "answered"}},
		{4, "asks_total", []string{"kind", "sampling", "source", "policy", "outcome", "refused"}},
		{1, "ask_wait_seconds", []string{"kind", "elicitation_url", "source", "client"}},
		{1, "streams_open", []string{"kind", "standing"}},
		{1, "limit_trips_total", []string{"limit", "max_rounds", "mode", "observe"}},
		{0, "limit_trips_total", []string{"mode", "enforce"}},
		{1, "messages_dropped_total", []string{"direction", "upstream", "reason", "late_answer"}},
		{1, "messages_dropped_total", nil},
	} {
		if got := value(t, reg, "mrtr_proxy_"+tc.name, tc.labels...); got != tc.want {
			t.Errorf("%s%v = %v, want %v", tc.name, tc.labels, got, tc.want)
		}
	}
}

// A reload builds its routes anew; what they count goes on.
func TestARouteKeepsItsHandles(t *testing.T) {
	t.Parallel()
	m := New(prometheus.NewRegistry())
	if a, b := m.Route("/mcp"), m.Route("/mcp"); a != b {
		t.Error("two sets of handles for one path")
	}
	if a, b := m.Route("/mcp").Source("client"), m.Route("/mcp").Source("client"); a != b {
		t.Error("two sets of handles for one source")
	}
}

func TestSessionLabelsAreRevisions(t *testing.T) {
	t.Parallel()
	for requested, label := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-11-25": "2025-11-25", "2026-07-28": "2026-07-28",
		"": "other", "2025-11-26": "other", "x\ny": "other",
	} {
		reg := prometheus.NewRegistry()
		New(reg).Route("/mcp").SessionOpened(requested, wire.Newest)
		if value(t, reg, "mrtr_proxy_sessions_opened_total", "requested", label, "negotiated", "2025-11-25") != 1 {
			t.Errorf("%q is not counted as %q", requested, label)
		}
	}
}

func TestUpstreamEraIsOneAtATime(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	m := New(reg)
	for _, present := range []Era{Unknown, Modern, Legacy} {
		m.Route("/mcp").SetUpstreamEra(present)
		for e := range eraCount {
			want := 0.0
			if e == present {
				want = 1
			}
			if got := value(t, reg, "mrtr_proxy_upstream_era", "era", e.String()); got != want {
				t.Errorf("%v with %v present: %v", e, present, got)
			}
		}
	}
	m.Route("/mcp").Retire()
	if f := gather(t, reg)["mrtr_proxy_upstream_era"]; f != nil {
		t.Errorf("a route that is gone still has an era: %v", f)
	}
}

// A failed reload leaves the time of the configuration in force.
func TestReloadMetrics(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	m := New(reg)
	m.Loaded(true, time.Unix(1700000000, 5e8))
	m.Loaded(false, time.Unix(1700000099, 0))
	if got := value(t, reg, "mrtr_proxy_config_last_reload_successful"); got != 0 {
		t.Errorf("successful = %v after a failure", got)
	}
	if got := value(t, reg, "mrtr_proxy_config_last_reload_success_timestamp_seconds"); got != 1700000000.5 {
		t.Errorf("timestamp = %v", got)
	}
	m.Build("v1", "a")
	m.Build("v2", "b")
	if got := value(t, reg, "mrtr_proxy_build_info"); got != 1 {
		t.Errorf("build_info = %v, want one build", got)
	}
}

func hotPath(m *Metrics, r *Route, s *Source) {
	method := MethodOf("resources/unsubscribe")
	r.Requests(Legacy, method, OK).Inc()
	r.RequestDuration(Legacy, method).Observe(.2)
	r.Rounds(method, OK).Observe(1)
	r.Attempts(method, AttemptComplete).Inc()
	r.AttemptDuration(method).Observe(.1)
	r.RequestStateBytes.Observe(99)
	r.RoundTripsOpen.Inc()
	r.Streams(StreamExchange).Inc()
	s.Asks(wire.Roots, AskAnswered).Inc()
	s.Wait(wire.Roots).Observe(1)
	m.Dropped(Downstream, DropUnmatched)
}

func TestCountingAllocatesNothing(t *testing.T) {
	m := New(prometheus.NewRegistry())
	r := m.Route("/mcp")
	s := r.Source("client")
	if n := testing.AllocsPerRun(100, func() { hotPath(m, r, s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkHotPath(b *testing.B) {
	m := New(prometheus.NewRegistry())
	r := m.Route("/mcp")
	s := r.Source("client")
	b.ReportAllocs()
	for b.Loop() {
		hotPath(m, r, s)
	}
}
