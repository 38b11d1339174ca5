// Package daemon wires the parts together: it owns the listeners, the logger, reload and shutdown.
//
// It is the only package that maps the configuration onto the options of the others (build.go).
package daemon

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/mrtr-proxy/mrtr-proxy/internal/admin"
	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

// Options are what a Daemon is made from.
type Options struct {
	// Load gives the configuration, at the start and at every reload, checked with what it is handed. The Config is nil
	// exactly when there are problems.
	Load func(config.Options) (*config.Config, config.Problems)
	// Build makes the traffic handler; nil = Build.
	Build Builder
	// Output takes the log; nil = standard error.
	Output zapcore.WriteSyncer
	// Version and Revision of the program, for build_info and the log.
	Version, Revision string
	// Supervisor is told when the daemon is ready, reloads and stops.
	Supervisor Supervisor
}

// Daemon is the running proxy.
type Daemon struct {
	load    func() (*config.Config, config.Problems)
	sources *Sources
	log     *zap.Logger
	level   zap.AtomicLevel
	metrics *metrics.Metrics
	traffic Traffic
	front   *server // for clients
	back    *server // for operators
	failed  chan error

	first   *config.Config // of the start: what needs a restart is compared with it
	current atomic.Pointer[snapshot]
	state   atomic.Int32
	reload  sync.Mutex // one reload at a time
	stop    sync.Once

	supervisor Supervisor
	watching   sync.WaitGroup
	stopped    chan struct{} // closed when nothing runs any more
}

// snapshot is what a reload swaps here; the traffic handler has its own.
type snapshot struct {
	config *config.Config
	guard  *guard.Guard
}

// What a Daemon is doing.
const (
	starting int32 = iota
	serving
	draining
)

// New loads the configuration, builds everything and binds the listeners; nothing is served before Start. Problems of
// the configuration are returned as config.Problems.
func New(o Options) (d *Daemon, err error) {
	if o.Output == nil {
		o.Output = &paced{out: os.Stderr}
	}
	if o.Build == nil {
		o.Build = Build
	}
	undo := cleanups{}
	defer func() {
		if err != nil {
			undo.run()
			_ = o.Output.Sync() // the program ends now
		}
	}()
	d = &Daemon{sources: NewSources(), failed: make(chan error, 2), supervisor: o.Supervisor, stopped: make(chan struct{})}
	undo.add(d.sources.Close)
	d.load = func() (*config.Config, config.Problems) { return o.Load(d.sources.ConfigOptions()) }
	cfg, problems := d.load()
	if len(problems) > 0 {
		return nil, problems
	}
	d.first = cfg
	d.log, d.level = newLogger(cfg.Log, o.Output)
	d.sources.log.Store(d.log)
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	d.metrics = metrics.New(reg)
	d.metrics.Build(o.Version, o.Revision)
	d.take(cfg)

	if d.traffic, err = o.Build(Parts{Config: cfg, Log: d.log, Metrics: d.metrics, Version: o.Version}); err != nil {
		return nil, err
	}
	undo.add(d.traffic.Close)
	if err = d.bind(cfg, reg); err != nil {
		return nil, err
	}
	d.metrics.Loaded(true, time.Now())
	return d, nil
}

// bind binds both listeners, or none.
func (d *Daemon) bind(cfg *config.Config, reg prometheus.Gatherer) (err error) {
	if d.front, err = listen(cfg.Listen, d.traffic, d.log.Named("http")); err != nil {
		return err
	}
	d.front.listener = &bounded{Listener: d.front.listener, max: int64(cfg.MaxConnections), log: d.log.Named("http")}
	if cfg.TLS.CertFile != "" {
		certs, err := newCertificates(cfg.TLS, d.log.Named("tls"))
		if err != nil {
			d.front.kill()
			return err
		}
		d.front.http.TLSConfig = certs.server()
	}
	d.back, err = listen(cfg.Admin.Listen, admin.New(admin.Options{
		Guard:    func() *guard.Guard { return d.current.Load().guard },
		Ready:    d.ready,
		Reload:   d.Reload,
		Gatherer: reg,
		Level:    d.level,
		Log:      d.log.Named("admin"),
	}), d.log.Named("admin"))
	if err != nil {
		d.front.kill()
	}
	return err
}

// take puts a configuration in force here.
func (d *Daemon) take(cfg *config.Config) {
	d.level.SetLevel(levelOf(cfg.Log.Level))
	d.current.Store(&snapshot{config: cfg, guard: guard.New(guardOptions(cfg))})
	for _, w := range cfg.Warnings {
		d.log.Warn(w.String())
	}
}

// Addr is where clients connect.
func (d *Daemon) Addr() net.Addr { return d.front.addr() }

// AdminAddr is where the admin listener is.
func (d *Daemon) AdminAddr() net.Addr { return d.back.addr() }

// Start begins to serve on both listeners. It is called once.
func (d *Daemon) Start() {
	d.state.Store(serving)
	d.front.start(d.failed)
	d.back.start(d.failed)
	cfg := d.current.Load().config
	routes := make([]string, len(cfg.Routes))
	for i, r := range cfg.Routes {
		routes[i] = r.Path
	}
	d.log.Info("serving", zap.Stringer("listen", d.Addr()), zap.Stringer("admin", d.AdminAddr()), zap.Strings("routes", routes))
	d.tell(stateReady)
	d.watch()
}

// Failed tells that a listener broke; the Daemon has to be stopped then.
func (d *Daemon) Failed() <-chan error { return d.failed }

// ready says what keeps the Daemon from taking requests.
func (d *Daemon) ready() error {
	switch d.state.Load() {
	case serving:
		return nil
	case draining:
		return errDraining
	default:
		return errors.New("starting")
	}
}

var errDraining = errors.New("draining")

// Stop takes no new requests, gives running ones the configured time, less when ctx ends before, and then ends
// everything. It returns when nothing runs any more; further calls wait for the first.
func (d *Daemon) Stop(ctx context.Context) {
	d.stop.Do(func() { d.shutDown(ctx) })
}
