package proxy

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/detach"
	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/legacy"
)

// Proxy is the handler of the traffic listener.
type Proxy struct {
	shared   Shared
	registry *exchange.Registry
	gate     *exchange.Gate
	streams  *legacy.Streams
	channels *legacy.Channels
	detached detach.Group
	draining chan struct{}
	drain    sync.Once

	current atomic.Pointer[snapshot]
	reload  sync.Mutex
}

// snapshot is what one configuration made.
type snapshot struct {
	handler http.Handler
	routes  map[string]*route // by path
}

// New makes the handler for a first configuration.
func New(s Shared, o Options) *Proxy {
	if s.Budgets == nil {
		s.Budgets = budget.NewMemory(0, nil)
	}
	p := &Proxy{
		shared:   s,
		registry: exchange.NewRegistry(s.MaxExchanges),
		gate:     exchange.NewGate(),
		streams:  legacy.NewStreams(),
		channels: legacy.NewChannels(),
		draining: make(chan struct{}),
		detached: detach.Group{Fault: faulted(s.Log)},
	}
	p.Reload(o)
	return p
}

// ServeHTTP serves a request with the configuration of this moment.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.current.Load().handler.ServeHTTP(w, r)
}

// Reload replaces the configuration for requests that come from now on. An upstream
// whose options are the same keeps its connections and what it knows.
func (p *Proxy) Reload(o Options) {
	p.reload.Lock()
	defer p.reload.Unlock()
	old := p.current.Load()
	next := &snapshot{routes: make(map[string]*route, len(o.Routes))}
	mux := chi.NewMux()
	for _, ro := range o.Routes {
		var before *route
		if old != nil {
			before = old.routes[ro.Path]
		}
		rt := p.newRoute(o, ro, before)
		next.routes[ro.Path] = rt
		mux.Handle(ro.Path, rt)
		if ro.Path != "/" {
			mux.Handle(ro.Path+"/", rt)
		}
	}
	for _, rt := range next.routes { // after the routes themselves, which go first
		for _, path := range []string{rt.channel, rt.channel + channelMessages} {
			if next.routes[path] == nil {
				mux.HandleFunc(path, rt.serveChannel)
			}
		}
	}
	mux.Handle("/.well-known/*", newWellKnown(o.Routes, next.routes))
	next.handler = recovering(guard.New(o.Guard).CORS(exact{next.routes, mux}), p.shared.Log)
	p.current.Store(next)
	if old != nil {
		old.retire(next)
	}
}

// exact serves the routes' own paths without the router, which would make a context and
// a copy of every request, and keep them for as long as it runs.
type exact struct {
	routes map[string]*route
	others http.Handler
}

// ServeHTTP implements http.Handler.
func (e exact) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if rt := e.routes[r.URL.Path]; rt != nil && r.URL.RawPath == "" {
		rt.ServeHTTP(w, r)
		return
	}
	e.others.ServeHTTP(w, r)
}

// retire closes what the next snapshot has not taken over.
func (s *snapshot) retire(next *snapshot) {
	for path, rt := range s.routes {
		switch now := next.routes[path]; {
		case now == nil:
			rt.upstream.Close()
			rt.metrics.Retire()
		case now.upstream != rt.upstream:
			rt.upstream.Close()
		}
	}
}

// Drain takes nothing new, closes the standing streams, and waits for what runs until
// ctx ends; then that is told to end.
func (p *Proxy) Drain(ctx context.Context) {
	p.drain.Do(func() { close(p.draining) })
	p.registry.Drain(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrites)
	defer cancel()
	p.detached.Wait(ctx)
}

// lastWrites is how long streams may take to end once nothing runs any more.
const lastWrites = 2 * time.Second

// Close gives up the connections upstream, and those of streams that have not ended. Nothing may be served any more.
func (p *Proxy) Close() {
	p.detached.Close()
	for _, rt := range p.current.Load().routes {
		rt.upstream.Close()
	}
}
