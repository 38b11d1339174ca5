package legacy

import (
	"context"
	"errors"
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// subscribe answers resources/subscribe and resources/unsubscribe, which the modern
// dialect has no more: the session's subscriptions are kept here, and what the server is
// listened to for follows them.
func (h *Handler) subscribe(r *http.Request, m *wire.Scanner, v *visitor, p *reply) exchange.Ending {
	refused := exchange.Ending{Outcome: metrics.Error}
	uri, ok := wire.Unquote(m.URI.Of(m.Bytes()))
	if !ok || uri == "" {
		p.send(wire.AppendError(nil, p.id, wire.CodeInvalidParams, "params.uri must be a string that is not empty", nil))
		return refused
	}
	if objection := h.objection(r, v); objection != nil {
		return exchange.Ending{Outcome: metrics.Error, Err: objection}
	}
	hub := h.Service.Upstream.Hub()
	view, err := hub.Offers(p.x.Context(), v.credential)
	if cause := context.Cause(p.x.Context()); cause != nil {
		return exchange.Ending{Outcome: metrics.Cancelled, Cause: cause}
	}
	if err != nil {
		e := &upstream.Error{Code: wire.CodeInternal, Message: "the upstream server cannot be reached"}
		_ = errors.As(err, &e)
		return exchange.Ending{Outcome: metrics.UpstreamFailed, Err: e}
	}
	if !view.Subscribe {
		p.send(wire.AppendError(nil, p.id, wire.CodeMethodNotFound, "this server has no subscriptions to resources", nil))
		return refused
	}
	id := v.claims.ID
	if m.MethodName() == wire.MethodResourcesUnsubscribe {
		if h.Store.Unsubscribe(id, uri) {
			_ = hub.Want(id, v.credential, h.subscriptions(id)) // fewer than before
		}
	} else {
		if err := h.Store.Subscribe(id, uri); err != nil {
			p.send(wire.AppendError(nil, p.id, wire.CodeInternal, "this session has as many subscriptions as it can have, or the resource's URI is too long", nil))
			return refused
		}
		if hub.Want(id, v.credential, h.subscriptions(id)) != nil {
			h.Store.Unsubscribe(id, uri)
			p.send(wire.AppendError(nil, p.id, wire.CodeInternal, "too many resources are subscribed to at once", nil))
			return refused
		}
	}
	p.send(emptyResult(p.id))
	return exchange.Ending{}
}
