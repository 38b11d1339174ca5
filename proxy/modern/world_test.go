package modern_test

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// world is a proxy with the route /mcp to a scripted upstream.
type world struct {
	t        *testing.T
	upstream *mcptest.Upstream
	proxy    *proxy.Proxy
	endpoint string
	metrics  http.Handler
	audit    *audit
}

// newWorld starts one; adjust changes its options first.
func newWorld(t *testing.T, adjust ...func(*proxy.Options)) *world {
	t.Helper()
	up := mcptest.NewUpstream(t)
	target, err := url.Parse(up.URL())
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := session.NewSealer([]session.Key{{1}})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, upstream: up, audit: &audit{}}
	o := proxy.Options{
		Guard: guard.Options{LoopbackOrigins: true}, MaxBodyBytes: 4 << 20, KeepAlive: time.Minute,
		Sealer: sealer, MaxAge: time.Hour, Auditor: w.audit, AuditValues: true,
		Routes: []proxy.Route{{
			Path:     "/mcp",
			Upstream: upstream.Options{Route: "/mcp", URL: target, Timeout: time.Minute, CallTimeout: time.Minute, MaxMessageBytes: 64 << 20},
			Limits:   resolver.DefaultLimits(), Answers: answer.DefaultSettings(), Policy: &policy.Set{},
		}},
	}
	for _, f := range adjust {
		f(&o)
	}
	registry := prometheus.NewRegistry()
	w.metrics = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	shared := proxy.Shared{Store: session.NewMemory(session.Options{}), Metrics: metrics.New(registry), Log: zap.NewNop(), MaxExchanges: 1000}
	w.proxy = proxy.New(shared, o)
	w.endpoint = mcptest.Serve(t, w.proxy) + "/mcp"
	t.Cleanup(func() {
		w.stop()
		w.proxy.Close()
	})
	return w
}

// stop is a shutdown that has no time.
func (w *world) stop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	w.proxy.Drain(ctx)
}

// sum is a metric, as mcptest.Metrics sums it.
func (w *world) sum(name string, labels ...string) float64 {
	w.t.Helper()
	out := &text{header: http.Header{}}
	w.metrics.ServeHTTP(out, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}})
	m, err := mcptest.ParseMetrics(out.String())
	if err != nil {
		w.t.Fatal(err)
	}
	return m.Sum("mrtr_proxy_"+name, labels...)
}

// want waits until a metric has a value.
func (w *world) want(value float64, name string, labels ...string) {
	w.t.Helper()
	mcptest.Eventually(w.t, name+strings.Join(labels, ","), func() bool { return w.sum(name, labels...) == value })
}

// text is a response that is kept.
type text struct {
	strings.Builder
	header http.Header
}

func (t *text) Header() http.Header { return t.header }
func (t *text) WriteHeader(int)     {}

// audit keeps what is recorded.
type audit struct {
	mu      sync.Mutex
	records []answer.Record
}

func (a *audit) Record(r answer.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.records = append(a.records, r)
	return nil
}

func (a *audit) all() []answer.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.records)
}

func (a *audit) Failing() bool { return false }

// limited changes the limits of the route.
func limited(f func(*resolver.Limits)) func(*proxy.Options) {
	return func(o *proxy.Options) { f(&o.Routes[0].Limits) }
}

// ruled gives the route rules.
func ruled(t *testing.T, specs ...policy.Spec) func(*proxy.Options) {
	t.Helper()
	set, problems := policy.Compile(specs, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return func(o *proxy.Options) { o.Routes[0].Policy = set }
}

// client is a modern client, every byte chosen by the test.
type client struct {
	*mcptest.Client
	capabilities string
	meta         string // more members of _meta, raw
	next         int
}

// client makes one that can be asked for everything.
func (w *world) client() *client {
	return &client{Client: mcptest.NewClient(w.t, w.endpoint), capabilities: `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`}
}

// header is what a request's mirrored headers say.
func header(method, name string) http.Header {
	h := http.Header{"Mcp-Protocol-Version": {mcptest.ModernVersion}, "Mcp-Method": {method}}
	if name != "" {
		h["Mcp-Name"] = []string{name}
	}
	return h
}

// send sends a request with raw members of params beside _meta. name is what Mcp-Name says.
func (c *client) send(id, method, name, members string) *mcptest.Stream {
	return c.Do(http.MethodPost, c.body(id, method, members), header(method, name))
}

func (c *client) body(id, method, members string) string {
	meta := `"` + mcptest.MetaProtocolVersion + `":"` + mcptest.ModernVersion + `","` + mcptest.MetaClientInfo + `":{"name":"modern","version":"1"},"` + mcptest.MetaClientCapabilities + `":` + c.capabilities
	if c.meta != "" {
		meta += "," + c.meta
	}
	if members != "" {
		members = "," + members
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":` + mcptest.Quote(method) + `,"params":{"_meta":{` + meta + `}` + members + `}}`
}

// call calls the tool, with more raw members of params.
func (c *client) call(members string) *mcptest.Stream {
	c.next++
	if members != "" {
		members = "," + members
	}
	return c.send(strings.Repeat("1", c.next), "tools/call", "release", `"name":"release"`+members)
}

// retry calls the tool again with answers and the state of an input_required.
func (c *client) retry(asked *mcptest.Message, responses string) *mcptest.Stream {
	members := `"requestState":` + string(mcptest.Member(asked.Result, "requestState"))
	if responses != "" {
		members += `,"inputResponses":` + responses
	}
	return c.call(members)
}

// isAsked tells whether a message is an input_required.
func isAsked(m *mcptest.Message) bool {
	return string(mcptest.Member(m.Result, "resultType")) == `"input_required"`
}
