package mcptest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMetricsText(t *testing.T) {
	m, err := ParseMetrics("# HELP a_total x\n# TYPE a_total counter\na_total 1\na_total{} 2\n" +
		`a_total{route="/m\"c}p",kind="x y"} 4e+00` + "\n" + `a_total{route="/",kind="z"} +Inf 1700000000` + "\na_totals 100\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Sum("a_total", "route", `/m"c}p`, "kind", "x y"); got != 4 {
		t.Errorf("sum by labels = %v, want 4", got)
	}
	if got := m[:3].Sum("a_total"); got != 7 {
		t.Errorf("sum = %v, want 7", got)
	}
	if diff := cmp.Diff([]string{"x y", "z"}, m.Values("a_total", "kind")); diff != "" {
		t.Error(diff)
	}
	for _, broken := range []string{"a_total", `a_total{route="/} 1`, `a_total{route="/"`, "a_total x", "a_total{} "} {
		if _, err := ParseMetrics(broken); err == nil {
			t.Errorf("%q is read", broken)
		}
	}
}
