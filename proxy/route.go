package proxy

import (
	"net/http"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/legacy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// route serves one path.
type route struct {
	tokens   tokens
	maxBody  int64
	channel  string // path of the HTTP+SSE transport
	options  upstream.Options
	upstream *upstream.Upstream
	legacy   *legacy.Handler
	metrics  *metrics.Route
}

// newRoute makes a route; before is what the path was served by until now, if anything.
func (p *Proxy) newRoute(o Options, ro Route, before *route) *route {
	m := p.shared.Metrics.Route(ro.Path)
	log := p.shared.Log.With(routeField(ro.Path))
	ro.Upstream.Metrics, ro.Upstream.Dropped, ro.Upstream.Log = m, p.shared.Metrics.Dropped, log
	rt := &route{channel: strings.TrimSuffix(ro.Path, "/") + channelPath, tokens: newTokens(o.Tokens), maxBody: o.MaxBodyBytes, options: ro.Upstream, metrics: m}
	if before != nil && before.options.Equal(&ro.Upstream) {
		rt.upstream = before.upstream
	} else {
		rt.upstream = upstream.New(ro.Upstream)
	}
	rt.legacy = legacy.New(legacy.Options{
		Route: ro.Path,
		Service: &exchange.Service{
			Upstream: rt.upstream,
			Desk: answer.NewDesk(answer.Options{
				Policy: ro.Policy, Settings: ro.Answers, Metrics: m,
				Auditor: o.Auditor, AuditValues: o.AuditValues, RefuseUnrecorded: o.RefuseUnrecorded,
			}),
			Limits:     ro.Limits,
			ToolLimits: ro.ToolLimits,
			Gate:       p.gate,
			Metrics:    m,
		},
		Registry:        p.registry,
		Store:           p.shared.Store,
		Sealer:          o.Sealer,
		MaxAge:          o.MaxAge,
		Binding:         o.Binding,
		JSONRPCFailures: o.JSONRPCFailures,
		Streams:         p.streams,
		Channels:        p.channels,
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
	switch r.Method {
	case http.MethodPost:
		rt.post(w, r)
	case http.MethodGet:
		rt.legacy.Get(w, r)
	case http.MethodDelete:
		rt.legacy.Delete(w, r)
	default:
		w.Header().Set("Allow", allowed)
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// serveChannel serves the endpoint of the HTTP+SSE transport of 2024-11-05, which is
// beside the MCP endpoint, and its endpoint for messages below it.
func (rt *route) serveChannel(w http.ResponseWriter, r *http.Request) {
	switch {
	case !rt.admit(w, r):
	case r.Method == http.MethodGet && r.URL.Path == rt.channel:
		rt.legacy.OpenChannel(w, r, rt.channel+channelMessages)
	case r.Method == http.MethodPost && r.URL.Path == rt.channel+channelMessages:
		s := takeScanner()
		defer giveScanner(s)
		if f := read(w, r, s, rt.maxBody); f != nil {
			refuse(w, f.status, f.id, f.code, f.message)
			return
		}
		rt.legacy.ChannelMessage(w, r, s)
	default:
		w.Header().Set("Allow", "GET, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// The endpoints of the HTTP+SSE transport: the stream's below the route, the one for
// messages below that.
const (
	channelPath     = "/sse"
	channelMessages = "/message"
)

// post reads the message of a POST and hands it to the dialect of its client.
func (rt *route) post(w http.ResponseWriter, r *http.Request) {
	s := takeScanner()
	defer giveScanner(s)
	if f := read(w, r, s, rt.maxBody); f != nil {
		if f.batch {
			rt.legacy.Batch(w, r, s.Bytes())
			return
		}
		refuse(w, f.status, f.id, f.code, f.message)
		return
	}
	if rt.isModern(r, s) {
		refuse(w, http.StatusBadRequest, s.ID.Of(s.Bytes()), wire.CodeInvalidRequest,
			"this endpoint serves the revisions 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25: begin with initialize")
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
