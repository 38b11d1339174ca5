package legacy

import (
	"context"
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// request runs one request of a session as an exchange, on the handler's goroutine.
func (h *Handler) request(w http.ResponseWriter, r *http.Request, m *wire.Scanner, v *visitor) {
	id, method := m.ID.Of(m.Bytes()), m.MethodName()
	x, err := h.Registry.Begin(time.Now())
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, id, wire.CodeInternal, err.Error())
		return
	}
	defer x.Leave()
	x.Session, x.Principal, x.Trace = v.claims.ID, v.claims.Principal, exchange.TraceOf(r.Header, m)
	leave, err := h.Store.Enter(v.claims.ID, requestKey(id), x)
	if err != nil {
		refuse(w, http.StatusOK, id, wire.CodeInvalidRequest, "this request cannot be taken: "+err.Error())
		return
	}
	defer leave()
	p := h.newReply(w, r, x, m, v, accepts(r.Header), leave)
	defer p.release(w)
	defer context.AfterFunc(r.Context(), func() { p.dropped(w) })()

	e, local := h.local(r, m, v, p)
	if !local {
		e = h.bridge(m, v, p)
		h.remember(v)
	}
	h.Service.Count(x, metrics.Legacy, metrics.MethodOf(method), e)
	h.finish(p, method, e)
}

// bridge sends a request to the modern server, and tells the client what it brought.
func (h *Handler) bridge(m *wire.Scanner, v *visitor, p *reply) exchange.Ending {
	msg, method := m.Bytes(), m.MethodName()
	about := policy.Request{Method: method}
	if wire.NameMember(method) != "" {
		name, ok := nameOf(m, method)
		if !ok {
			p.send(wire.AppendError(nil, p.id, wire.CodeInvalidParams, "params."+wire.NameMember(method)+" must be a string", nil))
			return exchange.Ending{Outcome: metrics.Error}
		}
		about.Name, about.Args = name, m.Arguments.Of(msg)
	}
	ask := &answer.Context{Route: h.Route, Request: about, Client: clientOf(v), Can: askable(v, p.accept), Channel: p}
	declared := h.Service.Desk.Declares(ask)
	call := &upstream.Call{
		Request:    m,
		Method:     method,
		Name:       about.Name,
		Meta:       h.appendMeta(nil, v, declared, p.x.Trace),
		Trace:      p.x.Trace.ID,
		Credential: v.credential,
	}
	if token := m.ProgressToken.Of(msg); token != nil && p.accept.stream {
		call.Progress, p.progress.token = true, token
	}
	return h.Service.Run(p.x, &exchange.Request{
		Call:       call,
		Session:    v.claims.ID,
		Principal:  func() session.Digest { return v.claims.Principal },
		Answerable: declared | known(v),
		Credential: func() upstream.Credential { return h.newest(v) },
		Ask: func() *answer.Context {
			if ask.Session == "" {
				ask.Session = h.Sealer.Pseudonym(v.claims.ID[:])
				if v.claims.Principal != (session.Digest{}) {
					ask.Principal = h.Sealer.Pseudonym(v.claims.Principal[:])
				}
			}
			return ask
		},
	}, p)
}

func nameOf(m *wire.Scanner, method string) (string, bool) {
	at := m.Name
	if wire.NameMember(method) == "uri" {
		at = m.URI
	}
	return wire.Unquote(at.Of(m.Bytes()))
}

// clientOf describes the client to rules.
func clientOf(v *visitor) policy.Client {
	return policy.Client{Name: v.claims.ClientName, Version: v.claims.ClientVersion, Protocol: v.claims.Version.String(), Can: known(v)}
}
