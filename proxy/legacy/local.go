package legacy

import (
	"net/http"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
)

// local answers the requests that the modern dialect no longer has, and those that are
// not bridged. ok is false for all others, which go up.
func (h *Handler) local(r *http.Request, m *wire.Scanner, v *visitor, p *reply) (e exchange.Ending, ok bool) {
	h.renew(v)
	switch method := m.MethodName(); {
	case method == wire.MethodPing:
		p.send(emptyResult(p.id))
	case method == wire.MethodSetLevel:
		return h.setLevel(r, m, v, p), true
	case method == wire.MethodResourcesSubscribe, method == wire.MethodResourcesUnsubscribe:
		return h.subscribe(r, m, v, p), true
	case method == wire.MethodDiscover, method == wire.MethodListen,
		strings.HasPrefix(method, "tasks/"):
		p.send(wire.AppendError(nil, p.id, wire.CodeMethodNotFound, "this method is not available in this session", nil))
		e.Outcome = metrics.Error
	default:
		return e, false
	}
	return e, true
}

// pong answers a ping that comes before there is a session.
func (h *Handler) pong(w http.ResponseWriter, id []byte) {
	w.Header()["Content-Type"] = contentJSON
	_, _ = w.Write(emptyResult(id))
}

// emptyResult is a response that only says: done.
func emptyResult(id []byte) []byte {
	return append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":{}}`...)
}

// setLevel keeps the session's log level, which goes up with every request from now on.
func (h *Handler) setLevel(r *http.Request, m *wire.Scanner, v *visitor, p *reply) exchange.Ending {
	level, _ := wire.Unquote(m.Level.Of(m.Bytes()))
	if !isLogLevel(level) {
		p.send(wire.AppendError(nil, p.id, wire.CodeInvalidParams, "params.level must be one of the levels debug to emergency", nil))
		return exchange.Ending{Outcome: metrics.Error}
	}
	if objection := h.objection(r, v); objection != nil {
		return exchange.Ending{Outcome: metrics.Error, Err: objection}
	}
	h.Store.SetLogLevel(v.claims.ID, level)
	p.send(emptyResult(p.id))
	return exchange.Ending{}
}

// isLogLevel knows the levels of RFC 5424, which logging/setLevel takes.
func isLogLevel(s string) bool {
	switch s {
	case "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency":
		return true
	}
	return false
}
