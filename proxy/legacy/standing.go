package legacy

import (
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// allowed are the methods of an MCP endpoint.
const allowed = "GET, POST, DELETE"

// Get opens the standing stream of a session. 405 is the one answer that every client
// takes for "no such stream here": 404 it reads as the end of its session, 400 as a
// broken server.
func (h *Handler) Get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r.Header).stream || r.Header.Get(headerSession) == "" {
		w.Header().Set("Allow", allowed)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	v := h.visit(w, r, nil)
	if v == nil || !h.admitted(w, r, v, nil) {
		return
	}
	if h.resume(w, r, v) {
		return
	}
	over := make(chan struct{}, 1)
	detach, err := h.Store.Attach(v.claims.ID, func() {
		select {
		case over <- struct{}{}:
		default:
		}
	})
	if err != nil {
		refuse(w, http.StatusTooManyRequests, nil, wire.CodeInternal, "too many streams are open in this session")
		return
	}
	defer detach()
	gauge := h.Metrics.Streams(metrics.StreamStanding)
	gauge.Inc()
	defer gauge.Dec()
	h.stand(w, r, over)
}

// stand keeps the stream open and says so, until the client goes, the session ends or
// the daemon stops.
func (h *Handler) stand(w http.ResponseWriter, r *http.Request, over <-chan struct{}) {
	s := &stream{w: w}
	tick := time.NewTicker(h.KeepAlive)
	defer tick.Stop()
	for s.alive() {
		select {
		case <-tick.C:
		case <-over:
			return
		case <-h.Draining:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// Delete ends a session: its streams close, its round trips are abandoned, its id is
// good for nothing any more. Nothing of it goes upstream, where there are no sessions.
func (h *Handler) Delete(w http.ResponseWriter, r *http.Request) {
	v := h.visit(w, r, nil)
	if v == nil || !h.admitted(w, r, v, nil) {
		return
	}
	h.Store.End(v.claims.ID, v.claims.Expires(h.MaxAge))
	h.Store.EndSession(v.claims.ID)
	w.WriteHeader(http.StatusNoContent)
}
