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
	id := m.ID.Of(m.Bytes())
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
	h.Service.Count(x, metrics.Legacy, metrics.MethodOf(p.method), e)
	h.finish(p, e)
}

// bridge sends a request to the modern server, and tells the client what it brought.
func (h *Handler) bridge(m *wire.Scanner, v *visitor, p *reply) exchange.Ending {
	c := h.caller(m, v, p)
	if c == nil {
		p.send(wire.AppendError(nil, p.id, wire.CodeInvalidParams, "params."+wire.NameMember(p.method)+" must be a string", nil))
		return exchange.Ending{Outcome: metrics.Error}
	}
	return h.Service.Run(p.x, &c.request, p)
}

// caller is the client of a request that goes up: one piece of memory for all that it
// takes.
type caller struct {
	h       *Handler
	visitor *visitor
	ask     answer.Context
	call    upstream.Call
	request exchange.Request
}

// caller makes one for a request, and the request; nil when it does not name what it is
// about.
func (h *Handler) caller(m *wire.Scanner, v *visitor, p *reply) *caller {
	msg := m.Bytes()
	about := policy.Request{Method: p.method}
	if wire.NameMember(p.method) != "" {
		name, ok := nameOf(m, p.method)
		if !ok {
			return nil
		}
		about.Name, about.Args = name, m.Arguments.Of(msg)
	}
	c := &caller{h: h, visitor: v, ask: answer.Context{
		Route: h.Route, Request: about, Client: clientOf(v), Can: askable(v, p.accept), Channel: p,
	}}
	declared := h.Service.Desk.Declares(&c.ask)
	c.call = upstream.Call{
		Request:    m,
		Method:     p.method,
		Name:       about.Name,
		Meta:       h.appendMeta(nil, v, declared, p.x.Trace),
		Trace:      p.x.Trace.ID,
		Credential: v.credential,
	}
	if token := m.ProgressToken.Of(msg); token != nil && p.accept.stream {
		c.call.Progress, p.progress.token = true, token
	}
	c.request = exchange.Request{Call: &c.call, Session: v.claims.ID, Answerable: declared | known(v), Caller: c}
	return c
}

// Ask implements exchange.Caller.
func (c *caller) Ask() *answer.Context {
	if c.ask.Session == "" {
		claims := c.visitor.claims
		c.ask.Session = c.h.Sealer.Pseudonym(claims.ID[:])
		if claims.Principal != (session.Digest{}) {
			c.ask.Principal = c.h.Sealer.Pseudonym(claims.Principal[:])
		}
	}
	return &c.ask
}

// Principal implements exchange.Caller.
func (c *caller) Principal() session.Digest { return c.visitor.claims.Principal }

// Credential implements exchange.Caller.
func (c *caller) Credential() upstream.Credential { return c.h.newest(c.visitor) }

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
