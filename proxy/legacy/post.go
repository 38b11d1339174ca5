package legacy

import (
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Post serves one message of a client. m is the whole message, scanned; it stays the
// caller's.
func (h *Handler) Post(w http.ResponseWriter, r *http.Request, m *wire.Scanner) {
	id := m.ID.Of(m.Bytes())
	if m.Kind == wire.Request {
		switch m.MethodName() {
		case wire.MethodInitialize:
			h.initialize(w, r, m)
			return
		case wire.MethodPing:
			if r.Header.Get(headerSession) == "" { // allowed before there is a session
				h.pong(w, id)
				return
			}
		}
	}
	v := h.visit(w, r, id)
	if v == nil {
		return
	}
	h.dispatch(w, r, m, v)
}

// dispatch serves a message of a session by its kind.
func (h *Handler) dispatch(w http.ResponseWriter, r *http.Request, m *wire.Scanner, v *visitor) {
	switch m.Kind {
	case wire.Request:
		h.request(w, r, m, v)
	case wire.Notification:
		h.notification(w, r, m, v)
	default:
		h.answer(w, r, m, v)
	}
}

// answer hands a response of the client to the ask that waits for it. One that nobody
// waits for is late, a repetition, or none of this session's: it is taken all the same,
// since no client could do anything about it.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, m *wire.Scanner, v *visitor) {
	if !h.admitted(w, r, v, nil) {
		return
	}
	ask, ok := wire.Unquote(m.ID.Of(m.Bytes()))
	if !ok || !h.Store.Deliver(v.claims.ID, ask, append([]byte(nil), m.Bytes()...)) {
		h.Dropped(metrics.Upstream, metrics.DropLateAnswer)
	}
	w.WriteHeader(http.StatusAccepted)
}
