package answer

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	portSchema = `{"type":"object","properties":{"port":{"type":"integer","default":80}},"required":["port"]}`
	everything = wire.CanForm | wire.CanURL | wire.CanSampling | wire.CanRoots
)

func formAsk(schema string) resolver.Ask {
	return resolver.Ask{Key: "q", Kind: wire.ElicitationForm, Method: "elicitation/create", Needs: wire.CanForm,
		Params: json.RawMessage(`{"message":"Which port?","requestedSchema":` + schema + `}`)}
}

func linkAsk(link string) resolver.Ask {
	return resolver.Ask{Key: "q", Kind: wire.ElicitationURL, Method: "elicitation/create", Needs: wire.CanURL,
		Params: json.RawMessage(`{"mode":"url","message":"?","url":"` + link + `"}`)}
}

var (
	samplingAsk = resolver.Ask{Key: "q", Kind: wire.Sampling, Method: "sampling/createMessage", Needs: wire.CanSampling, Params: json.RawMessage(`{"messages":[],"maxTokens":9}`)}
	rootsAsk    = resolver.Ask{Key: "q", Kind: wire.Roots, Method: "roots/list", Needs: wire.CanRoots}
)

// says is a client that answers at once.
type says string

func (s says) Ask(context.Context, resolver.Ask) (json.RawMessage, error) {
	return json.RawMessage(s), nil
}

// fails is a client that cannot.
type fails struct{ err error }

func (f fails) Ask(context.Context, resolver.Ask) (json.RawMessage, error) { return nil, f.err }

// thinks is a client that answers after a while.
type thinks struct {
	d time.Duration
	says
}

func (s thinks) Ask(ctx context.Context, a resolver.Ask) (json.RawMessage, error) {
	select {
	case <-time.After(s.d):
		return s.says.Ask(ctx, a)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// records keeps what was recorded.
type records struct {
	mu            sync.Mutex
	all           []Record
	lost, failing bool
}

func (r *records) Record(one Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost {
		r.failing = true
		return errors.New("no space left")
	}
	r.failing = false
	r.all = append(r.all, one)
	return nil
}

func (r *records) Failing() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failing
}

// bench is a desk with everything it reports to.
type bench struct {
	*Desk
	audit   records
	reg     *prometheus.Registry
	overdue []string
	mu      sync.Mutex
}

func newBench(t *testing.T, s Settings, extra map[string]policy.ActionParser, specs ...policy.Spec) *bench {
	t.Helper()
	set, problems := policy.Compile(specs, extra)
	if len(problems) > 0 {
		t.Fatalf("rules: %v", problems)
	}
	b := &bench{reg: prometheus.NewRegistry()}
	b.Desk = NewDesk(Options{Policy: set, Settings: s, Metrics: metrics.New(b.reg).Route("/mcp"), Auditor: &b.audit})
	return b
}

func (b *bench) about(c Channel) *Context {
	return &Context{Route: "/mcp", Request: policy.Request{Method: "tools/call", Name: "deploy"}, Client: policy.Client{Name: "tester", Can: everything},
		Round: 1, Can: everything, Channel: c, Overdue: func(key string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.overdue = append(b.overdue, key)
		}}
}

// counted gives a counter's value by its labels' values.
func (b *bench) counted(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	families, err := b.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() != "mrtr_proxy_"+name {
			continue
		}
		for _, m := range f.GetMetric() {
			have := map[string]bool{}
			for _, l := range m.GetLabel() {
				have[l.GetValue()] = true
			}
			all := true
			for _, want := range labels {
				all = all && have[want]
			}
			if all {
				sum += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}

// settled is what a test expects of an ask: an answer, or a failure's reason.
type settled struct {
	answer  string
	reason  resolver.Reason
	source  string
	outcome string
}

func (b *bench) want(t *testing.T, c *Context, a resolver.Ask, want settled) *resolver.Failure {
	t.Helper()
	got, f := b.Settle(t.Context(), c, a)
	if string(got) != want.answer || (f == nil) != (want.answer != "") {
		t.Fatalf("%s: answer %s, failure %v, want %q", a.Kind, got, f, want.answer)
	}
	if f != nil && (f.Reason != want.reason || f.Key != a.Key) {
		t.Errorf("%s: %s of %q (%s), want %s", a.Kind, f.Reason, f.Key, f.Text, want.reason)
	}
	if n := b.counted(t, "asks_total", a.Kind.String(), want.source, want.outcome); n == 0 {
		t.Errorf("%s: not counted as %s, %s", a.Kind, want.source, want.outcome)
	}
	if len(b.audit.all) == 0 {
		t.Fatalf("%s: not recorded", a.Kind)
	}
	if r := b.audit.all[len(b.audit.all)-1]; r.Source != want.source || r.Outcome != want.outcome || r.Answer != nil {
		t.Errorf("%s: recorded as %+v", a.Kind, r)
	}
	return f
}
