// Package metrics holds every Prometheus collector of the proxy.
//
// Labels are bounded sets: route paths, method names, enums and rule names. What peers make up (tools, keys, clients,
// sessions, unknown methods) never becomes a label; it folds into "other" or is left out. Each metric is described in
// metrics.md at the top of the repository, which a test compares with this package.
package metrics

import (
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const namespace = "mrtr_proxy"

// durations are the histogram bounds, in seconds, of everything that may wait for a person: a fast reply and an open
// question both need buckets that tell something.
var durations = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800}

// Native histograms stand beside the classic ones for scrapers that ask for them: buckets that grow by a tenth, so many at
// most, and none dropped sooner than that.
const (
	nativeFactor  = 1.1
	nativeBuckets = 160
	nativeReset   = time.Hour
)

// Metrics owns the collectors of one process. It is safe for concurrent use.
type Metrics struct {
	requests        *prometheus.CounterVec
	requestDuration *prometheus.HistogramVec
	rounds          *prometheus.HistogramVec
	roundTripsOpen  *prometheus.GaugeVec
	asks            *prometheus.CounterVec
	askWait         *prometheus.HistogramVec
	limitTrips      *prometheus.CounterVec
	budgetDenials   *prometheus.CounterVec
	decisions       *prometheus.CounterVec
	auditLost       *prometheus.CounterVec
	stateBytes      *prometheus.HistogramVec
	attempts        *prometheus.CounterVec
	attemptDuration *prometheus.HistogramVec
	sessionsOpened  *prometheus.CounterVec
	clientRevisions *prometheus.CounterVec
	streamsOpen     *prometheus.GaugeVec
	dropped         *prometheus.CounterVec
	upstreamEra     *prometheus.GaugeVec
	reloadOK        prometheus.Gauge
	reloadTime      prometheus.Gauge
	buildInfo       *prometheus.GaugeVec

	drops [directionCount][dropReasonCount]prometheus.Counter

	mu     sync.Mutex
	routes map[string]*Route
}

// New makes the collectors and registers them. It panics when reg already has one of them, which is a programming error.
func New(reg prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests:        counter("requests_total", "Exchanges by how they ended.", "route", "era", "method", "outcome"),
		requestDuration: histogram("request_duration_seconds", "Time from a request's arrival to its one answer.", durations, "route", "era", "method"),
		rounds: histogram("rounds", "Attempts an exchange took, on the methods that may ask for input.",
			[]float64{1, 2, 3, 4, 5, 6, 8, 12, 16, 32, 64, 128, 400}, "route", "method", "outcome"),
		roundTripsOpen: gauge("round_trips_open", "Legacy round trips alive now.", "route"),
		asks:           counter("asks_total", "Asks by who answered them and what came of it.", "route", "kind", "source", "outcome"),
		askWait:        histogram("ask_wait_seconds", "Time from an ask to its answer or failure.", durations, "route", "kind", "source"),
		limitTrips:     counter("limit_trips_total", "Limits of the loop that were hit.", "route", "limit", "mode"),
		budgetDenials:  counter("budget_denials_total", "Rounds of asks that a budget stopped.", "route", "budget"),
		decisions:      counter("policy_decisions_total", "Asks a rule decided on.", "route", "rule", "action"),
		auditLost:      counter("audit_records_lost_total", "Audit records that could not be written.", "route"),
		stateBytes:     histogram("request_state_bytes", "Size of the requestState of an input_required result.", prometheus.ExponentialBuckets(64, 4, 8), "route"),
		attempts:       counter("attempts_total", "Attempts sent upstream by what they brought.", "route", "method", "outcome"),
		attemptDuration: histogram("attempt_duration_seconds", "Time from sending an attempt to the end of its reply.",
			durations, "route", "method"),
		sessionsOpened: counter("sessions_opened_total", "Sessions opened by the revision asked for and the one agreed on.", "route", "requested", "negotiated"),
		clientRevisions: counter("client_revisions_total", "Revisions that clients asked for and got, by the client's family.",
			"route", "client", "requested", "negotiated"),
		streamsOpen: gauge("streams_open", "Event streams open towards clients now.", "route", "kind"),
		dropped:     counter("messages_dropped_total", "Messages that were taken in and not passed on.", "direction", "reason"),
		upstreamEra: gauge("upstream_era", "1 for the era the upstream is known to speak.", "route", "era"),
		reloadOK:    gauge("config_last_reload_successful", "Whether the last attempt to load the configuration succeeded.").WithLabelValues(),
		reloadTime:  gauge("config_last_reload_success_timestamp_seconds", "Unix time of the last configuration that was taken over.").WithLabelValues(),
		buildInfo:   gauge("build_info", "1, with what is running as labels.", "version", "revision", "goversion"),
		routes:      make(map[string]*Route),
	}
	reg.MustRegister(m.requests, m.requestDuration, m.rounds, m.roundTripsOpen, m.asks, m.askWait, m.limitTrips, m.budgetDenials, m.decisions,
		m.auditLost, m.stateBytes, m.attempts, m.attemptDuration, m.sessionsOpened, m.clientRevisions, m.streamsOpen, m.dropped, m.upstreamEra, m.reloadOK,
		m.reloadTime, m.buildInfo)
	for d := range directionCount {
		for r := range dropReasonCount {
			m.drops[d][r] = m.dropped.WithLabelValues(d.String(), r.String())
		}
	}
	return m
}

// Route gives the handles of the route served under path: always the same ones, so that a reload goes on counting where
// the snapshot before it stopped.
func (m *Metrics) Route(path string) *Route {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.routes[path]
	if !ok {
		r = newRoute(m, path)
		m.routes[path] = r
	}
	return r
}

// Dropped counts a message that was taken in and not passed on.
func (m *Metrics) Dropped(d Direction, why DropReason) { m.drops[d][why].Inc() }

// Loaded notes an attempt to load the configuration: whether it was taken over, and when.
func (m *Metrics) Loaded(ok bool, at time.Time) {
	if !ok {
		m.reloadOK.Set(0)
		return
	}
	m.reloadOK.Set(1)
	m.reloadTime.Set(float64(at.UnixNano()) / 1e9)
}

// Build sets build_info. Both values come from the build, never from a peer.
func (m *Metrics) Build(version, revision string) {
	m.buildInfo.Reset()
	m.buildInfo.WithLabelValues(version, revision, runtime.Version()).Set(1)
}

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor:     nativeFactor,
		NativeHistogramMaxBucketNumber:  nativeBuckets,
		NativeHistogramMinResetDuration: nativeReset,
	}, labels)
}
