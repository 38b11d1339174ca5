package legacy

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
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
	in := newInbox(h.Dropped)
	detach, err := h.Store.Attach(v.claims.ID, in.Over)
	if err != nil {
		refuse(w, http.StatusTooManyRequests, nil, wire.CodeInternal, "too many streams are open in this session")
		return
	}
	gauge := h.Metrics.Streams(metrics.StreamStanding)
	gauge.Inc()
	leave := func() {
		gauge.Dec()
		detach()
	}
	heard := false
	defer func() {
		if !heard {
			leave()
		}
	}()
	unhear := h.hear(v, in)
	heard = true
	h.Detached.Reply(w, r, func(ctx context.Context, w http.ResponseWriter) {
		defer leave()
		defer unhear()
		h.stand(ctx, w, in)
	})
}

// hear has the session hear on a stream what the server announces. All of it goes to
// the newest stream that the session has, and comes to the inbox, which is over when the
// session has to be heard anew, on another stream. leave must be called when nothing is
// taken out of the inbox any more, and may be called twice.
func (h *Handler) hear(v *visitor, in *inbox) (leave func()) {
	id, hub := v.claims.ID, h.Service.Upstream.Hub()
	out, err := hub.Stand(id, v.credential, h.subscriptions(id), in)
	if err != nil {
		h.Log.Debug("a stream stands on which nothing will be heard", zap.Error(err))
		return in.close
	}
	return func() {
		out()
		in.close()
		if h.Store.Ended(id) {
			hub.Forget(id)
		}
	}
}

// subscriptions lists what a session has subscribed to, when it is called.
func (h *Handler) subscriptions(id session.ID) func() []string {
	return func() []string { return h.Store.Subscriptions(id) }
}

// renew has the session listened for under the credential that it shows, if that is a
// new one, from when the upstream has accepted it. Where a session is not bound to its
// principal, that may be somebody else's, and it stays as it is.
func (h *Handler) renew(v *visitor) {
	id, shown := v.claims.ID, v.credential
	if shown.Digest == v.claims.Credential || h.Binding == session.BindNone {
		return
	}
	h.remember(v)
	if newest := h.Store.Renewed(id); newest != shown.Authorization && h.Service.Upstream.Accepted(shown.Digest) {
		return // it is late: another one has been accepted since
	}
	h.Service.Upstream.Hub().Renew(id, shown)
}

// stand writes what arrives to the stream, and a comment now and then, until the client
// goes or does not read, the session ends or the daemon stops.
func (h *Handler) stand(ctx context.Context, w http.ResponseWriter, in *inbox) {
	s := &stream{w: w}
	tick := time.NewTicker(h.KeepAlive)
	defer tick.Stop()
	for alive := s.alive(); alive; {
		select {
		case <-tick.C:
			alive = s.alive()
		case <-in.arrived:
			alive = s.pass(in)
		case <-h.Draining:
			return
		case <-ctx.Done():
			return
		}
	}
}

// pass writes what has arrived. It is false when nothing more can be written, or will
// arrive. It takes mu itself.
func (s *stream) pass(in *inbox) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	events, more := in.take(nil)
	return more && (len(events) == 0 || s.write(events))
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
	h.Service.Upstream.Hub().Forget(v.claims.ID)
	w.WriteHeader(http.StatusNoContent)
}
