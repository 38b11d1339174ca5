package metrics

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// Every metric has a query in metrics.md, and no query is about another.
func TestEveryMetricHasAnExample(t *testing.T) {
	page, err := os.ReadFile("../../metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(page), "```promql\n")
	if !ok {
		t.Fatal("no examples")
	}
	block, _, _ = strings.Cut(block, "```")
	reg := prometheus.NewRegistry()
	touch(New(reg))
	families := gather(t, reg)
	asked := map[string]bool{}
	for _, name := range regexp.MustCompile(`mrtr_proxy_\w+`).FindAllString(block, -1) {
		for _, part := range []string{"_bucket", "_count", "_sum"} {
			if whole, cut := strings.CutSuffix(name, part); cut && families[whole] != nil {
				name = whole
			}
		}
		if families[name] == nil {
			t.Errorf("%s is no metric", name)
		}
		asked[name] = true
	}
	for name := range families {
		if !asked[name] {
			t.Errorf("%s has no example", name)
		}
	}
}
