package modern

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// request runs one request as an exchange, on the handler's goroutine. The exchange
// ends with its connection: a client that closes it cancels the request (Cancellation).
func (h *Handler) request(w http.ResponseWriter, r *http.Request, m *wire.Scanner, v *visitor) {
	id := m.ID.Of(m.Bytes())
	b, f := h.brought(r, m, v)
	if f == nil && v.method == wire.MethodListen && !takesStream(r.Header) {
		f = &refusal{http.StatusNotAcceptable, wire.CodeInvalidRequest, "a listen needs Accept: text/event-stream", nil}
	}
	if f != nil {
		f.write(w, id)
		return
	}
	x, err := h.Registry.Begin(time.Now())
	if err != nil {
		(&refusal{http.StatusServiceUnavailable, wire.CodeInternal, err.Error(), nil}).write(w, id)
		return
	}
	defer x.Leave()
	if x.Trace = exchange.TraceOf(r.Header, m); h.Service.Logs() {
		x.Principal = h.principal(r)
	}
	p := h.newReply(w, r, x, id, v.method)
	defer p.release()
	defer context.AfterFunc(r.Context(), func() { x.End(exchange.ErrCancelled) })()
	if v.method == wire.MethodListen {
		go h.endWithDaemon(x)
	}
	e, last := h.pass(r, m, v, p, b)
	h.dropUnasked(b.early)
	h.Service.Count(x, metrics.Modern, metrics.MethodOf(v.method), e)
	p.finish(e, last)
}

// endWithDaemon ends a listen when the daemon begins to stop, as every standing stream.
func (h *Handler) endWithDaemon(x *exchange.Exchange) {
	select {
	case <-h.Draining:
		x.End(exchange.ErrShuttingDown)
	case <-x.Context().Done():
	}
}

// pass sends the request up. last is what the client gets when it has to send again;
// nil when it has its response, or has to be told how else it ended.
func (h *Handler) pass(r *http.Request, m *wire.Scanner, v *visitor, p *reply, b brought) (e exchange.Ending, last []byte) {
	msg := m.Bytes()
	about := policy.Request{Method: v.method, Name: v.name}
	if v.name != "" || wire.NameMember(v.method) != "" {
		about.Args = m.Arguments.Of(msg)
	}
	c := &caller{h: h, posted: r, ask: answer.Context{
		Route: h.Route, Request: about, Client: v.client, Can: v.declared.can, Channel: answer.Later{},
	}}
	declared := h.Service.Desk.Declares(&c.ask)
	authorization := r.Header.Get("Authorization")
	c.passed = upstream.Passed{Capabilities: v.declared.as(declared), Mirrored: mirrored(r.Header), Meta: p.x.Trace.Members}
	c.call = upstream.Call{
		Request:    m,
		Method:     v.method,
		Name:       v.name,
		Passed:     &c.passed,
		Trace:      p.x.Trace.ID,
		Credential: upstream.Credential{Authorization: authorization, Digest: session.CredentialOf(authorization)},
	}
	if token := m.ProgressToken.Of(msg); token != nil && p.stream {
		c.call.Progress, p.progress.token = true, token
	}
	c.request = exchange.Request{Call: &c.call, Answerable: declared | v.declared.can, Caller: c, Early: b.early}
	e = h.Service.Pass(p.x, &c.request, p, b.from)
	if e.Open == nil {
		return e, nil
	}
	if last = h.inputRequired(r, m, v, e.Open); last == nil {
		h.Metrics.LimitTrip(resolver.MaxRequestStateBytes.String(), false)
		e.Open, e.Outcome, e.Failure = nil, metrics.Limit, tooMuchToCarry(e.Open)
	}
	return e, last
}

// caller is the client of a request that goes up: one piece of memory for all that it
// takes.
type caller struct {
	h       *Handler
	posted  *http.Request
	ask     answer.Context
	call    upstream.Call
	passed  upstream.Passed
	request exchange.Request
}

// Ask implements exchange.Caller.
func (c *caller) Ask() *answer.Context {
	if who := c.Principal(); who != (session.Digest{}) && c.ask.Principal == "" {
		c.ask.Principal = c.h.Sealer.Pseudonym(who[:])
	}
	return &c.ask
}

// Principal implements exchange.Caller.
func (c *caller) Principal() session.Digest { return c.h.principal(c.posted) }

// Credential implements exchange.Caller.
func (c *caller) Credential() upstream.Credential { return c.call.Credential }

// mirrored are the headers that mirror arguments, which are the client's and the
// server's own affair.
func mirrored(h http.Header) http.Header {
	var found http.Header
	for name, values := range h {
		if strings.HasPrefix(name, headerParam) {
			if found == nil {
				found = http.Header{}
			}
			found[name] = values
		}
	}
	return found
}

// tooMuchToCarry is the failure of a round trip that no requestState can hold: answers
// of rules have become too long.
func tooMuchToCarry(o *exchange.Open) *resolver.Failure {
	return &resolver.Failure{Kind: resolver.RoundLimit, Limit: resolver.MaxRequestStateBytes, Rounds: o.State.Rounds(),
		Text: "The answers that were given so far are too long to be kept until the next request. Have the rules give shorter ones."}
}
