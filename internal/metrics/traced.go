package metrics

import "github.com/prometheus/client_golang/prometheus"

// exemplarLabel is what exemplars call a trace.
const exemplarLabel = "trace_id"

// ObserveTraced takes a value of an exchange that belongs to a trace, which becomes an exemplar: a histogram keeps the last
// one of each bucket. trace is an id of wire.TraceID; "" is none.
func ObserveTraced(o prometheus.Observer, v float64, trace string) {
	if trace != "" {
		if e, ok := o.(prometheus.ExemplarObserver); ok {
			e.ObserveWithExemplar(v, prometheus.Labels{exemplarLabel: trace})
			return
		}
	}
	o.Observe(v)
}
