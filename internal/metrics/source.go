package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// kindCount is one more than the highest ask kind; 0 is none.
const kindCount = wire.Roots + 1

// Source gives the collectors of one source of answers on a route. It is safe for concurrent use.
type Source struct {
	route *Route
	name  string

	asks [kindCount][askOutcomeCount]cell[prometheus.Counter]
	wait [kindCount]cell[prometheus.Observer]
}

// Source gives the handles of a source of answers: "policy", "client", or the name a source registers under. Resolve it
// when the route is built; names come from the code, never from a peer or a file.
func (r *Route) Source(name string) *Source {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sources[name]
	if !ok {
		s = &Source{route: r, name: name}
		r.sources[name] = s
	}
	return s
}

// Asks counts asks, each once, when it is settled.
func (s *Source) Asks(kind wire.AskKind, o AskOutcome) prometheus.Counter {
	return s.asks[kind][o].get(func() prometheus.Counter {
		return s.route.m.asks.WithLabelValues(s.route.path, kind.String(), s.name, o.String())
	})
}

// Wait takes the seconds from an ask to its answer or failure.
func (s *Source) Wait(kind wire.AskKind) prometheus.Observer {
	return s.wait[kind].get(func() prometheus.Observer {
		return s.route.m.askWait.WithLabelValues(s.route.path, kind.String(), s.name)
	})
}
