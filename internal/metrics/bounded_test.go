package metrics

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// series is the number of series that there are.
func series(t *testing.T, reg *prometheus.Registry) (n int) {
	t.Helper()
	for _, f := range gather(t, reg) {
		n += len(f.GetMetric())
	}
	return n
}

// Whatever peers make up: the series stay those of the enums.
func TestLabelsAreBounded(t *testing.T) {
	reg := prometheus.NewRegistry()
	m := New(reg)
	touch(m)
	r := m.Route("/mcp")
	made := func(i int) {
		name := fmt.Sprintf("made-up/%d", i)
		method := MethodOf(name)
		r.Requests(Legacy, method, OK).Inc()
		ObserveTraced(r.RequestDuration(Modern, method), 1, fmt.Sprintf("%032x", i+1))
		r.Attempts(method, AttemptComplete).Inc()
		ObserveTraced(r.AttemptDuration(method), 1, "")
		r.Rounds(method, OK).Observe(float64(i))
		r.SessionOpened(name, wire.Newest)
		r.ClientRevision(name, name, wire.Newest.String())
	}
	made(0)
	before := series(t, reg)
	for i := range 10_000 {
		made(i)
	}
	if after := series(t, reg); after != before {
		t.Errorf("%d series have become %d", before, after)
	}
}
