package metrics

import (
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Route gives the collectors of one route. What the hot path uses is resolved on first use and found by index from then
// on: no label is hashed and nothing is allocated. It is safe for concurrent use.
type Route struct {
	// RoundTripsOpen is the number of legacy round trips alive.
	RoundTripsOpen prometheus.Gauge
	// RequestStateBytes takes the size in bytes of each requestState that came with an input_required result.
	RequestStateBytes prometheus.Observer
	// AuditLost counts audit records that could not be written.
	AuditLost prometheus.Counter

	m    *Metrics
	path string

	requests        [eraCount][methodCount][outcomeCount]cell[prometheus.Counter]
	requestDuration [eraCount][methodCount]cell[prometheus.Observer]
	rounds          [methodCount][outcomeCount]cell[prometheus.Observer]
	attempts        [methodCount][attemptOutcomeCount]cell[prometheus.Counter]
	attemptDuration [methodCount]cell[prometheus.Observer]
	streams         [streamKindCount]cell[prometheus.Gauge]

	mu      sync.Mutex
	sources map[string]*Source
}

// cell holds a handle once it is resolved, so that only series that happen exist.
type cell[T any] struct{ p atomic.Pointer[T] }

func (c *cell[T]) get(resolve func() T) T {
	if p := c.p.Load(); p != nil {
		return *p
	}
	v := resolve()
	c.p.Store(&v)
	return v
}

func newRoute(m *Metrics, path string) *Route {
	return &Route{
		RoundTripsOpen:    m.roundTripsOpen.WithLabelValues(path),
		RequestStateBytes: m.stateBytes.WithLabelValues(path),
		AuditLost:         m.auditLost.WithLabelValues(path),
		m:                 m,
		path:              path,
		sources:           make(map[string]*Source),
	}
}

// Requests counts exchanges, each once, when it ends. era is the client's.
func (r *Route) Requests(era Era, method Method, o Outcome) prometheus.Counter {
	return r.requests[era][method][o].get(func() prometheus.Counter {
		return r.m.requests.WithLabelValues(r.path, era.String(), method.String(), o.String())
	})
}

// RequestDuration takes the seconds from a request's arrival to its answer.
func (r *Route) RequestDuration(era Era, method Method) prometheus.Observer {
	return r.requestDuration[era][method].get(func() prometheus.Observer {
		return r.m.requestDuration.WithLabelValues(r.path, era.String(), method.String())
	})
}

// Rounds takes the number of attempts of an exchange on one of the three methods that may ask for input.
func (r *Route) Rounds(method Method, o Outcome) prometheus.Observer {
	return r.rounds[method][o].get(func() prometheus.Observer {
		return r.m.rounds.WithLabelValues(r.path, method.String(), o.String())
	})
}

// Attempts counts attempts, each once, when it is over.
func (r *Route) Attempts(method Method, o AttemptOutcome) prometheus.Counter {
	return r.attempts[method][o].get(func() prometheus.Counter {
		return r.m.attempts.WithLabelValues(r.path, method.String(), o.String())
	})
}

// AttemptDuration takes the seconds from sending an attempt to the end of its reply.
func (r *Route) AttemptDuration(method Method) prometheus.Observer {
	return r.attemptDuration[method].get(func() prometheus.Observer {
		return r.m.attemptDuration.WithLabelValues(r.path, method.String())
	})
}

// Streams is the number of event streams of a kind open towards clients.
func (r *Route) Streams(k StreamKind) prometheus.Gauge {
	return r.streams[k].get(func() prometheus.Gauge {
		return r.m.streamsOpen.WithLabelValues(r.path, k.String())
	})
}

// LimitTrip counts a limit that was hit, by its name in the configuration; observed means that it stopped nothing.
func (r *Route) LimitTrip(limit string, observed bool) {
	mode := "enforce"
	if observed {
		mode = "observe"
	}
	r.m.limitTrips.WithLabelValues(r.path, limit, mode).Inc()
}

// BudgetDenied counts a round of asks that a budget stopped, by the budget's name in the configuration.
func (r *Route) BudgetDenied(budget string) { r.m.budgetDenials.WithLabelValues(r.path, budget).Inc() }

// Decisions counts the asks that a rule decided with an action, or, under "observed_" and the action, would have decided.
// Resolve it when the rules are compiled.
func (r *Route) Decisions(rule, action string) prometheus.Counter {
	return r.m.decisions.WithLabelValues(r.path, rule, action)
}

// SessionOpened counts a session by the revision the client asked for, "other" when that is unknown, and the one agreed on.
func (r *Route) SessionOpened(requested string, negotiated wire.Version) {
	r.m.sessionsOpened.WithLabelValues(r.path, revisionOf(requested), negotiated.String()).Inc()
}

// SetUpstreamEra notes which era the route's upstream speaks; Unknown until it has shown that.
func (r *Route) SetUpstreamEra(present Era) {
	for e := range eraCount {
		v := 0.0
		if e == present {
			v = 1
		}
		r.m.upstreamEra.WithLabelValues(r.path, e.String()).Set(v)
	}
}

// Retire takes back what a route that is no longer served would go on claiming about the present; its counters stay.
func (r *Route) Retire() {
	r.m.upstreamEra.DeletePartialMatch(prometheus.Labels{"route": r.path})
}
