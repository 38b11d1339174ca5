package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/legacy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/modern"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// route serves one path.
type route struct {
	path     string
	metadata Metadata
	resource *url.URL // of the metadata, as configured; nil where it is the URL that is dialled
	tokens   tokens
	maxBody  int64
	channel  string // path of the HTTP+SSE transport
	options  upstream.Options
	upstream *upstream.Upstream
	registry *exchange.Registry
	draining <-chan struct{}
	legacy   *legacy.Handler
	modern   *modern.Handler
	passing  http.Handler // to a legacy server
	mayPass  bool         // to a legacy server the route's rules do not reach
	metrics  *metrics.Route
}

// newRoute makes a route; before is what the path was served by until now, if anything.
func (p *Proxy) newRoute(o Options, ro Route, before *route) *route {
	m := p.shared.Metrics.Route(ro.Path)
	log := p.shared.Log.With(routeField(ro.Path))
	ro.Upstream.Metrics, ro.Upstream.Dropped, ro.Upstream.Log = m, p.shared.Metrics.Dropped, p.shared.Log // which names its route itself
	rt := &route{
		path:     ro.Path,
		metadata: ro.Metadata,
		resource: resourceURL(ro.Metadata.Resource),
		tokens:   newTokens(o.Tokens),
		maxBody:  o.MaxBodyBytes,
		channel:  strings.TrimSuffix(ro.Path, "/") + channelPath,
		options:  ro.Upstream,
		registry: p.registry,
		draining: p.draining,
		mayPass:  ro.Passthrough || ro.Upstream.Era == upstream.Legacy || len(ro.Policy.Rules()) == 0,
		metrics:  m,
	}
	if before != nil && before.options.Equal(&ro.Upstream) {
		rt.upstream = before.upstream
	} else {
		rt.upstream = upstream.New(ro.Upstream)
	}
	rt.passing = rt.upstream.PassThrough(passFailed, passedMetadata)
	service := &exchange.Service{
		Upstream: rt.upstream,
		Desk: answer.NewDesk(answer.Options{
			Policy: ro.Policy, Settings: ro.Answers, Metrics: m,
			Auditor: o.Auditor, AuditValues: o.AuditValues, RefuseUnrecorded: o.RefuseUnrecorded,
		}),
		Limits:     ro.Limits,
		ToolLimits: ro.ToolLimits,
		Gate:       p.gate,
		Budgets:    budget.NewBook(o.Budgets, p.shared.Budgets),
		Metrics:    m,
		Access:     o.access(ro.Path),
		Pseudonym:  o.Sealer.Pseudonym,
	}
	rt.modern = modern.New(modern.Options{
		Route:            ro.Path,
		MetadataURL:      rt.metadataURL,
		Service:          service,
		Registry:         p.registry,
		Sealer:           o.Sealer,
		Binding:          bindingOf(o.Binding, &ro.Upstream),
		JSONRPCFailures:  o.JSONRPCFailures,
		HoldEarlyAnswers: ro.HoldEarlyAnswers,
		KeepAlive:        o.KeepAlive,
		Metrics:          m,
		Dropped:          p.shared.Metrics.Dropped,
		Draining:         p.draining,
	})
	rt.legacy = legacy.New(legacy.Options{
		Route:           ro.Path,
		PassThrough:     rt.handOver(),
		MetadataURL:     rt.metadataURL,
		Service:         service,
		Registry:        p.registry,
		Store:           p.shared.Store,
		Sealer:          o.Sealer,
		MaxAge:          o.MaxAge,
		Binding:         bindingOf(o.Binding, &ro.Upstream),
		JSONRPCFailures: o.JSONRPCFailures,
		Streams:         p.streams,
		Channels:        p.channels,
		Detached:        &p.detached,
		ResumeWindow:    o.ResumeWindow,
		WaitingProgress: o.WaitingProgress,
		Deadlines:       o.Deadlines,
		KeepAlive:       o.KeepAlive,
		Metrics:         m,
		Dropped:         p.shared.Metrics.Dropped,
		Draining:        p.draining,
		Log:             log,
	})
	return rt
}

// bindingOf is what sessions of a route are bound to. A token's subject is only worth
// something where the server judges the token.
func bindingOf(b session.Binding, o *upstream.Options) session.Binding {
	if b == session.BindSubject && !o.Authorization.Forwards() {
		return session.BindCredential
	}
	return b
}

// admit asks for a token where one is needed.
func (rt *route) admit(w http.ResponseWriter, r *http.Request) bool {
	if rt.tokens.admit(r) {
		return true
	}
	w.Header().Set("Www-Authenticate", "Bearer")
	refuse(w, http.StatusUnauthorized, nil, wire.CodeInvalidRequest, "a bearer token is needed here")
	return false
}

// allowed are the methods of an MCP endpoint.
const allowed = "GET, POST, DELETE"

// ServeHTTP serves an MCP endpoint.
func (rt *route) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !rt.admit(w, r) {
		return
	}
	if r.Method != http.MethodPost && r.ContentLength != 0 {
		refuse(w, http.StatusBadRequest, nil, wire.CodeInvalidRequest, "only a POST has a body here")
		return
	}
	if r.Method != http.MethodPost && rt.passes() {
		rt.passThrough(w, r, nil)
		return
	}
	switch r.Method {
	case http.MethodPost:
		rt.post(w, r)
	case http.MethodGet, http.MethodDelete:
		rt.stream(w, r)
	default:
		w.Header().Set("Allow", allowed)
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// stream serves what only sessions have: their standing streams, and their end.
func (rt *route) stream(w http.ResponseWriter, r *http.Request) {
	switch {
	case rt.saysModern(r):
		rt.modern.NoStream(w)
	case r.Method == http.MethodGet:
		rt.legacy.Get(w, r)
	default:
		rt.legacy.Delete(w, r)
	}
}

// post reads the message of a POST and hands it to the dialect of its client.
func (rt *route) post(w http.ResponseWriter, r *http.Request) {
	s := takeScanner()
	defer giveScanner(s)
	if f := read(w, r, s, rt.maxBody); f != nil {
		switch {
		case f.batch && rt.passes():
			rt.passThrough(w, r, s)
			return
		case f.batch:
			rt.legacy.Batch(w, r, s.Bytes())
			return
		}
		refuse(w, f.status, f.id, f.code, f.message)
		return
	}
	if rt.passes() && s.MethodName() != wire.MethodInitialize {
		rt.passThrough(w, r, s)
		return
	}
	if rt.isModern(r, s) {
		rt.postModern(w, r, s)
		return
	}
	rt.legacy.Post(w, r, s)
}

// refuse answers a request that no dialect has seen.
func refuse(w http.ResponseWriter, status int, id []byte, code int, message string) {
	body := wire.AppendError(nil, id, code, message, nil)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
