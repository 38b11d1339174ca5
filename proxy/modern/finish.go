package modern

import (
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// finish tells the client how its exchange ended, if it does not know yet. last is the
// response that has it send again.
func (p *reply) finish(e exchange.Ending, last []byte) {
	switch {
	case p.long && (e.Cause != nil || e.Failure != nil || e.Err != nil):
		p.breakOff()
	case e.Open != nil:
		p.send(http.StatusOK, last)
	case e.Cause != nil: // nobody listens
	case e.Failure != nil && p.method == wire.MethodListen && e.Failure.Kind == resolver.ShuttingDown:
		p.send(http.StatusOK, p.appendClosed(nil))
	case e.Failure != nil:
		p.send(http.StatusOK, p.appendFailure(nil, e.Failure))
	case e.Err != nil:
		p.finishError(e.Err)
	}
}

// appendFailure is a failed round trip as the client sees it: a tool result that the
// model can read, or a JSON-RPC error.
func (p *reply) appendFailure(dst []byte, f *resolver.Failure) []byte {
	data := f.AppendData(nil)
	if p.method != wire.MethodToolsCall || p.h.JSONRPCFailures {
		return wire.AppendError(dst, p.id, wire.CodeInternal, f.Text, data)
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, p.id...)
	dst = append(dst, `,"result":{"resultType":"complete","content":[{"type":"text","text":`...)
	dst = wire.AppendQuoted(dst, f.Text)
	dst = append(dst, `}],"isError":true,"_meta":{"mrtr-proxy/failure":`...)
	dst = append(dst, data...)
	return append(dst, `}}}`...)
}

// appendClosed is the response of a listen that ends in good order (Subscriptions,
// Graceful Closure).
func (p *reply) appendClosed(dst []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, p.id...)
	dst = append(dst, `,"result":{"resultType":"complete","_meta":{"`+wire.MetaSubscriptionID+`":`...)
	dst = append(dst, p.id...)
	return append(dst, `}}}`...)
}

func (p *reply) finishError(e *upstream.Error) {
	switch e.Reason {
	case upstream.Broken:
		p.breakOff()
	case upstream.Unauthorized:
		if p.challenge(e) {
			return
		}
	case upstream.NoCommonVersion:
		// Only what both speak could be named, and that is nothing.
		data := []byte(`{"supported":[],"requested":"` + wire.Modern + `"}`)
		p.send(http.StatusBadRequest, wire.AppendError(nil, p.id, wire.CodeUnsupportedVersion, e.Message, data))
		return
	}
	p.send(statusOfCode(e.Code), wire.AppendError(nil, p.id, e.Code, e.Message, e.Data))
}

// breakOff ends a reply of which a part is out. Only a broken connection tells the
// client that the rest will not come.
func (p *reply) breakOff() {
	p.h.Dropped(metrics.Downstream, metrics.DropBroken)
	panic(http.ErrAbortHandler)
}

// challenge passes on the server's refusal of a credential, which only works as long as
// nothing has been written. It takes mu itself.
func (p *reply) challenge(e *upstream.Error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streaming || p.ended {
		return false
	}
	for _, c := range e.Challenges(p.h.MetadataURL(p.r)) {
		p.w.Header().Add("Www-Authenticate", c)
	}
	p.respond(e.Status, wire.AppendError(nil, p.id, e.Code, e.Message, e.Data), false)
	return true
}

// statusOfCode is the HTTP status that goes with a JSON-RPC error where none came with
// it (Streamable HTTP, Protocol Version Header, Server Validation; Base Protocol, _meta).
func statusOfCode(code int) int {
	switch code {
	case wire.CodeMethodNotFound:
		return http.StatusNotFound
	case wire.CodeHeaderMismatch, wire.CodeMissingCapability, wire.CodeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
