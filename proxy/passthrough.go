package proxy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// passed is a message that is passed through to a legacy server.
type passed struct {
	id       []byte // raw, nil where there is none
	metadata string // where challenges lead to
	failed   bool
}

type passedKey struct{}

// passThrough hands a request to a legacy server as it is. msg is the message that was
// read from its body; nil where there was none. The server's rules hold, not the
// route's: a route with rules serves such a server only when it says so.
func (rt *route) passThrough(w http.ResponseWriter, r *http.Request, msg *wire.Scanner) {
	p := &passed{metadata: rt.metadataURL(r)}
	var method string
	if msg != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(msg.Bytes())), int64(len(msg.Bytes()))
		p.id, method = msg.ID.Of(msg.Bytes()), msg.MethodName()
	}
	ctx, cancel := context.WithCancel(context.WithValue(r.Context(), passedKey{}, p))
	defer cancel()
	if r.Method == http.MethodGet { // a standing stream, which nobody waits for
		rt.passStream(w, r.WithContext(ctx), cancel)
		return
	}
	x, err := rt.registry.Begin(time.Now())
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, p.id, wire.CodeInternal, err.Error())
		return
	}
	defer x.Leave()
	defer context.AfterFunc(x.Context(), cancel)()
	rt.passing.ServeHTTP(w, r.WithContext(ctx))
	if msg == nil || msg.Kind != wire.Request {
		return
	}
	outcome := metrics.OK
	if p.failed {
		outcome = metrics.UpstreamFailed
	}
	rt.metrics.Requests(metrics.Legacy, metrics.MethodOf(method), outcome).Inc()
	rt.metrics.RequestDuration(metrics.Legacy, metrics.MethodOf(method)).Observe(time.Since(x.Began).Seconds())
}

// passStream passes a standing stream through until the daemon begins to stop.
func (rt *route) passStream(w http.ResponseWriter, r *http.Request, end context.CancelFunc) {
	over := make(chan struct{})
	defer close(over)
	go func() {
		select {
		case <-rt.draining:
			end()
		case <-over:
		}
	}()
	rt.passing.ServeHTTP(w, r)
}

// handOver is what the legacy dialect does with an initialize when the server turns out
// to be a legacy one; nil where the route must not pass it through.
func (rt *route) handOver() func(http.ResponseWriter, *http.Request, *wire.Scanner) {
	if !rt.mayPass {
		return nil
	}
	return rt.passThrough
}

// passFailed answers a request that could not be passed through.
func passFailed(w http.ResponseWriter, r *http.Request, e *upstream.Error) {
	p, _ := r.Context().Value(passedKey{}).(*passed)
	if p == nil {
		p = &passed{}
	}
	p.failed = true
	if p.id == nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(wire.AppendError(nil, p.id, e.Code, e.Message, nil))
}

// passedMetadata is where the challenges to a request that is passed through lead to.
func passedMetadata(r *http.Request) string {
	p, _ := r.Context().Value(passedKey{}).(*passed)
	if p == nil {
		return ""
	}
	return p.metadata
}

// passes tells whether the server is known to be a legacy one that this route serves.
func (rt *route) passes() bool { return rt.mayPass && rt.upstream.Era() == upstream.Legacy }
