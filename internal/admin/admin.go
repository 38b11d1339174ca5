// Package admin serves the admin listener: probes, metrics, reload and profiles.
package admin

import (
	"context"
	"fmt"
	"net/http"
	"net/http/pprof"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
)

// maxScrapes bounds how many scrapes are gathered at once.
const maxScrapes = 4

// Options are what the admin listener shows and does. All of them are required.
type Options struct {
	Guard  func() *guard.Guard // asked at every request, since a reload may change it
	Ready  func() error        // nil = ready; the error says what is missing
	Reload func(context.Context) (notes []string, err error)
	// Gatherer is what /metrics shows.
	Gatherer prometheus.Gatherer
	Log      *zap.Logger
	// Level is that of the log, which can be asked for and changed.
	Level zap.AtomicLevel
}

// New makes the handler. Reload, log level and profiles answer peers on this machine only.
func New(o Options) http.Handler {
	r := chi.NewRouter()
	r.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { o.Guard().Handler(next).ServeHTTP(w, r) })
	})
	r.Use(middleware.GetHead) // which probes such as wget --spider ask with
	r.Get("/-/healthy", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "healthy") })
	r.Get("/-/ready", o.ready)
	r.Method(http.MethodGet, "/metrics", promhttp.HandlerFor(o.Gatherer, promhttp.HandlerOpts{
		ErrorLog:            zap.NewStdLog(o.Log),
		ErrorHandling:       promhttp.ContinueOnError,
		EnableOpenMetrics:   true, // which carries exemplars, for scrapers that ask for it
		MaxRequestsInFlight: maxScrapes,
	}))
	r.Group(func(r chi.Router) {
		r.Use(loopbackOnly)
		r.Post("/-/reload", o.reload)
		r.Get("/-/log-level", o.Level.ServeHTTP)
		r.Put("/-/log-level", o.setLevel)
		r.HandleFunc("/debug/pprof/*", pprof.Index)
		r.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		r.HandleFunc("/debug/pprof/profile", pprof.Profile)
		r.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		r.HandleFunc("/debug/pprof/trace", pprof.Trace)
	})
	return r
}

func (o Options) ready(w http.ResponseWriter, _ *http.Request) {
	if err := o.Ready(); err != nil {
		say(w, http.StatusServiceUnavailable, "not ready: "+err.Error())
		return
	}
	say(w, http.StatusOK, "ready")
}

// reload answers 200 with what needs a restart, or 422 with one problem a line.
func (o Options) reload(w http.ResponseWriter, r *http.Request) {
	notes, err := o.Reload(r.Context())
	if err != nil {
		say(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	say(w, http.StatusOK, append([]string{"reloaded"}, notes...)...)
}

// maxLevelBody bounds what is read of a request for another level.
const maxLevelBody = 1 << 10

// setLevel takes {"level":"debug"}, until the next reload.
func (o Options) setLevel(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxLevelBody)
	before := o.Level.Level()
	o.Level.ServeHTTP(w, r)
	if now := o.Level.Level(); now != before {
		o.Log.Warn("the level of the log is changed", zap.Stringer("from", before), zap.Stringer("to", now))
	}
}

func loopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !guard.IsLoopbackPeer(r) {
			say(w, http.StatusForbidden, "for this machine only")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// say answers with lines of plain text.
func say(w http.ResponseWriter, status int, lines ...string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	for _, line := range lines {
		_, _ = fmt.Fprintln(w, line)
	}
}
