package legacy_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
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
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// world is a proxy with the route /mcp to a scripted upstream.
type world struct {
	t        *testing.T
	upstream *mcptest.Upstream
	proxy    *proxy.Proxy
	handler  http.Handler // of the proxy
	url      string       // without a path
	metrics  http.Handler
	shared   proxy.Shared
	options  proxy.Options
}

// newWorld starts one; adjust changes its options first.
func newWorld(t *testing.T, adjust ...func(*proxy.Options)) *world {
	t.Helper()
	up := mcptest.NewUpstream(t)
	target, err := url.Parse(up.URL())
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := session.NewSealer([]session.Key{session.RandomKey()})
	if err != nil {
		t.Fatal(err)
	}
	o := proxy.Options{
		Guard: guard.Options{LoopbackOrigins: true}, MaxBodyBytes: 4 << 20, KeepAlive: time.Minute, ResumeWindow: time.Minute,
		Sealer: sealer, MaxAge: time.Hour,
		Routes: []proxy.Route{{
			Path:     "/mcp",
			Upstream: upstream.Options{Route: "/mcp", URL: target, Timeout: time.Minute, CallTimeout: time.Minute, MaxMessageBytes: 64 << 20},
			Limits:   resolver.DefaultLimits(), Answers: answer.DefaultSettings(),
		}},
	}
	for _, f := range adjust {
		f(&o)
	}
	registry := prometheus.NewRegistry()
	w := &world{t: t, upstream: up, options: o, metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{})}
	w.shared = proxy.Shared{Store: session.NewMemory(session.Options{}), Metrics: metrics.New(registry), Log: zap.NewNop(), MaxExchanges: 1000}
	w.proxy = proxy.New(w.shared, o)
	w.handler = w.proxy
	w.url = mcptest.Serve(t, w.proxy)
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

// connect opens a session of a client that can be asked for everything.
func (w *world) connect(version string) *mcptest.Client {
	w.t.Helper()
	return mcptest.Connect(w.t, w.url+"/mcp", version, mcptest.EveryCapability)
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

// text is a response that is kept.
type text struct {
	strings.Builder
	header http.Header
}

func (t *text) Header() http.Header { return t.header }
func (t *text) WriteHeader(int)     {}

// awaitQuiet waits until nothing is left of any exchange.
func (w *world) awaitQuiet() {
	w.t.Helper()
	for _, gauge := range []string{"round_trips_open", "streams_open"} {
		mcptest.Eventually(w.t, gauge+" is zero again", func() bool { return w.sum(gauge) == 0 })
	}
}

// jwt is an unsigned credential of a subject; serial tells one from the next.
func jwt(subject string, serial int) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return "Bearer " + part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"iss":"https://id.example","sub":%q,"jti":%d}`, subject, serial)) + "." + part("signature")
}

const rootsAnswer = `{"roots":[{"uri":"file:///srv"}]}`
