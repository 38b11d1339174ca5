package metrics

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// touch makes every series of every collector that enums span exist once.
func touch(m *Metrics) {
	r := m.Route("/mcp")
	for method := range methodCount {
		r.AttemptDuration(method).Observe(1)
		for o := range attemptOutcomeCount {
			r.Attempts(method, o).Inc()
		}
		for o := range outcomeCount {
			r.Rounds(method, o).Observe(1)
		}
		for _, era := range []Era{Legacy, Modern} {
			r.RequestDuration(era, method).Observe(1)
			for o := range outcomeCount {
				r.Requests(era, method, o).Inc()
			}
		}
	}
	for kind := wire.ElicitationForm; kind < kindCount; kind++ {
		for _, name := range []string{"policy", "client", "webhook"} {
			r.Source(name).Wait(kind).Observe(1)
			for o := range askOutcomeCount {
				r.Source(name).Asks(kind, o).Inc()
			}
		}
	}
	for k := range streamKindCount {
		r.Streams(k).Inc()
	}
	for d := range directionCount {
		for why := range dropReasonCount {
			m.Dropped(d, why)
		}
	}
	r.RoundTripsOpen.Inc()
	r.RequestStateBytes.Observe(100)
	r.AuditLost.Inc()
	r.LimitTrip("max_rounds", true)
	r.BudgetDenied("daily")
	r.LimitTrip("max_rounds", false)
	r.Decisions("ask-the-person", "forward").Inc()
	r.SessionOpened("2025-06-18", wire.V20250618)
	r.ClientRevision("claude-code", "2025-06-18", "2025-06-18")
	r.SetUpstreamEra(Modern)
	m.Loaded(true, time.Unix(1700000000, 0))
	m.Build("v1.2.3", "abcdef")
}

func gather(t *testing.T, reg *prometheus.Registry) map[string]*dto.MetricFamily {
	t.Helper()
	all, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	families := make(map[string]*dto.MetricFamily)
	for _, f := range all {
		families[f.GetName()] = f
	}
	return families
}

// value sums the samples of a family whose labels hold all of want, given as name, value, name, value…
func value(t *testing.T, reg *prometheus.Registry, name string, want ...string) (sum float64) {
	t.Helper()
next:
	for _, m := range gather(t, reg)[name].GetMetric() {
		for i := 0; i < len(want); i += 2 {
			if !slices.ContainsFunc(m.GetLabel(), func(l *dto.LabelPair) bool {
				return l.GetName() == want[i] && l.GetValue() == want[i+1]
			}) {
				continue next
			}
		}
		sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return sum
}

// tableRows reads the Markdown table whose header starts with the given cell.
func tableRows(t *testing.T, first string) (rows [][]string) {
	t.Helper()
	page, err := os.ReadFile("../../metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(page), "| "+first+" |")
	if !ok {
		t.Fatalf("metrics.md has no table of %s", first)
	}
	for i, line := range strings.Split(after, "\n") {
		if i < 2 {
			continue // the rest of the header, and the rule
		}
		if !strings.HasPrefix(line, "|") {
			break
		}
		var cells []string
		for c := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			cells = append(cells, strings.TrimSpace(c))
		}
		rows = append(rows, cells)
	}
	return rows
}

var quoted = regexp.MustCompile("`([^`]+)`")

func names(cell string) (found []string) {
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		found = append(found, m[1])
	}
	return found
}

func TestThePageListsEveryMetric(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	touch(New(reg))
	registered := make(map[string]string)
	for name, f := range gather(t, reg) {
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, l.GetName())
		}
		slices.Sort(labels)
		registered[name] = fmt.Sprint(strings.ToLower(f.GetType().String()), labels)
	}
	documented := make(map[string]string)
	for _, row := range tableRows(t, "metric") {
		labels := names(row[2])
		slices.Sort(labels)
		documented[names(row[0])[0]] = fmt.Sprint(row[1], labels)
		if len(row[3]) < 10 {
			t.Errorf("%s says nothing", row[0])
		}
	}
	if diff := cmp.Diff(registered, documented); diff != "" {
		t.Errorf("registry (-) and metrics.md (+) differ:\n%s", diff)
	}
}

func labelsOf[E interface {
	~uint8
	String() string
}](n E) (labels []string) {
	for e := range n {
		labels = append(labels, e.String())
	}
	return labels
}

func TestThePageListsEveryLabelValue(t *testing.T) {
	t.Parallel()
	var kinds []string
	for k := wire.ElicitationForm; k < kindCount; k++ {
		kinds = append(kinds, k.String())
	}
	code := map[string][]string{
		"`era` of `upstream_era`": labelsOf(eraCount),
		"`era` of requests":       {Legacy.String(), Modern.String()},
		"`outcome` of exchanges":  labelsOf(outcomeCount),
		"`outcome` of attempts":   labelsOf(attemptOutcomeCount),
		"`outcome` of asks":       labelsOf(askOutcomeCount),
		"`kind` of asks":          kinds,
		"`direction`":             labelsOf(directionCount),
		"`reason`":                labelsOf(dropReasonCount),
	}
	page := make(map[string]string)
	for _, row := range tableRows(t, "label") {
		page[row[0]] = row[1]
	}
	for label, want := range code {
		if diff := cmp.Diff(want, names(page[label])); diff != "" {
			t.Errorf("%s: code (-) and metrics.md (+) differ:\n%s", label, diff)
		}
	}
	for _, k := range labelsOf(streamKindCount) {
		if !slices.Contains(names(page["`kind` of streams"]), k) {
			t.Errorf("the stream kind %s is not described", k)
		}
	}
	rows := tableRows(t, "label")
	reg := prometheus.NewRegistry()
	touch(New(reg))
	for name, f := range gather(t, reg) {
		for _, l := range f.GetMetric()[0].GetLabel() {
			if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Contains(names(row[0]), l.GetName()) }) {
				t.Errorf("the label %s of %s is not described", l.GetName(), name)
			}
		}
	}
}

// An enum value without a name would be counted under an empty label, two with one name together.
func TestEveryLabelHasItsOwnName(t *testing.T) {
	t.Parallel()
	for what, labels := range map[string][]string{
		"era": labelsOf(eraCount), "outcome": labelsOf(outcomeCount), "attempt": labelsOf(attemptOutcomeCount),
		"ask": labelsOf(askOutcomeCount), "stream": labelsOf(streamKindCount), "direction": labelsOf(directionCount),
		"reason": labelsOf(dropReasonCount), "method": labelsOf(methodCount),
	} {
		slices.Sort(labels)
		if labels[0] == "" || len(slices.Compact(slices.Clone(labels))) != len(labels) {
			t.Errorf("%s: %q", what, labels)
		}
	}
}
