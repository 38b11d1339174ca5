package legacy

import (
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// codeSession is the JSON-RPC code that goes with HTTP 404 for a session that is
// unknown or has ended, as the official servers use it.
const codeSession = -32001

// refuse answers a request at the door, with an HTTP status of its own. id is raw, or
// nil when it is not known.
func refuse(w http.ResponseWriter, status int, id []byte, code int, message string) {
	body := wire.AppendError(nil, id, code, message, nil)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// appendFailure is a failed round trip as the client sees it: a tool result that the
// model can read, or a JSON-RPC error.
func (h *Handler) appendFailure(dst, id []byte, method string, f *resolver.Failure) []byte {
	data := f.AppendData(nil)
	if method != wire.MethodToolsCall || h.JSONRPCFailures {
		return wire.AppendError(dst, id, wire.CodeInternal, f.Text, data)
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"result":{"content":[{"type":"text","text":`...)
	dst = wire.AppendQuoted(dst, f.Text)
	dst = append(dst, `}],"isError":true,"_meta":{"mrtr-proxy/failure":`...)
	dst = append(dst, data...)
	return append(dst, `}}}`...)
}

// finish tells the client how its exchange ended, if it does not know yet.
func (h *Handler) finish(p *reply, e exchange.Ending) {
	switch {
	case p.long && (e.Cause != nil || e.Failure != nil || e.Err != nil):
		h.breakOff()
	case e.Cause != nil:
		p.close()
	case e.Failure != nil:
		p.send(h.appendFailure(nil, p.id, p.method, e.Failure))
	case e.Err != nil:
		h.finishError(p, e.Err)
	}
}

func (h *Handler) finishError(p *reply, e *upstream.Error) {
	switch e.Reason {
	case upstream.Broken:
		h.breakOff()
	case upstream.Unauthorized:
		if p.challenge(e) {
			return
		}
	}
	p.send(wire.AppendError(nil, p.id, e.Code, e.Message, e.Data))
}

// breakOff ends a reply of which a part is out. Only a broken connection tells the
// client that the rest will not come.
func (h *Handler) breakOff() {
	h.Dropped(metrics.Downstream, metrics.DropBroken)
	panic(http.ErrAbortHandler)
}

// challenge passes on the upstream's refusal of the credential of r.
func (h *Handler) challenge(w http.ResponseWriter, r *http.Request, id []byte, e *upstream.Error) {
	for _, c := range e.Challenges(h.MetadataURL(r)) {
		w.Header().Add("Www-Authenticate", c)
	}
	refuse(w, e.Status, id, e.Code, e.Message)
}
