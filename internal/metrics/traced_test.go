package metrics

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// histogramOf is the one series of a family.
func histogramOf(t *testing.T, reg *prometheus.Registry, name string) *dto.Histogram {
	t.Helper()
	all := gather(t, reg)[name].GetMetric()
	if len(all) != 1 {
		t.Fatalf("%d series of %s", len(all), name)
	}
	return all[0].GetHistogram()
}

func TestATraceIsAnExemplarOfItsBucket(t *testing.T) {
	reg := prometheus.NewRegistry()
	o := New(reg).Route("/mcp").RequestDuration(Legacy, MethodToolsCall)
	const trace = "0af7651916cd43dd8448eb211c80319c"
	ObserveTraced(o, 0.2, "")
	ObserveTraced(o, 0.3, trace)
	ObserveTraced(o, 30, "")
	found := 0
	for _, b := range histogramOf(t, reg, "mrtr_proxy_request_duration_seconds").GetBucket() {
		if e := b.GetExemplar(); e != nil {
			found++
			if b.GetUpperBound() != .5 || e.GetValue() != .3 || e.GetLabel()[0].GetName() != "trace_id" || e.GetLabel()[0].GetValue() != trace {
				t.Errorf("bucket %v: %v", b.GetUpperBound(), e)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d exemplars", found)
	}
}

// Both kinds of buckets tell of the same values.
func TestHistogramsAreNativeToo(t *testing.T) {
	reg := prometheus.NewRegistry()
	New(reg).Route("/mcp").AttemptDuration(MethodToolsCall).Observe(0.2)
	h := histogramOf(t, reg, "mrtr_proxy_attempt_duration_seconds")
	if len(h.GetBucket()) != len(durations) || len(h.GetPositiveSpan()) != 1 || h.GetSchema() < 2 {
		t.Errorf("%d classic buckets, native %v of schema %d", len(h.GetBucket()), h.GetPositiveSpan(), h.GetSchema())
	}
}
