package legacy

import (
	"bytes"
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// notification consumes what a client tells: the modern dialect has no notifications
// towards the server. A cancellation reaches the exchange it names; one that names
// none is taken and does nothing.
func (h *Handler) notification(w http.ResponseWriter, r *http.Request, m *wire.Scanner, v *visitor) {
	if m.MethodName() == wire.NotifyCancelled {
		if !h.admitted(w, r, v, nil) {
			return
		}
		if id := m.RequestID.Of(m.Bytes()); id == nil || !h.Store.Cancel(v.claims.ID, requestKey(id)) {
			h.Dropped(metrics.Upstream, metrics.DropUnmatched)
		}
	}
	w.WriteHeader(http.StatusAccepted)
}

// requestKey is a raw request id in one spelling: the number 7 and the string "7"
// differ, but an escape in a string makes no difference.
func requestKey(id []byte) string {
	if bytes.IndexByte(id, '\\') < 0 {
		return string(id)
	}
	s, _ := wire.Unquote(id)
	return string(wire.AppendQuoted(nil, s))
}
