package mcptest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Sample is one line of the Prometheus text format.
type Sample struct {
	Name   string
	Labels map[string]string
	Value  float64
}

// Metrics are the samples of one scrape, in its order.
type Metrics []Sample

// ParseMetrics reads the Prometheus text format.
func ParseMetrics(text string) (Metrics, error) {
	var all Metrics
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		s, err := parseSample(line)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		all = append(all, s)
	}
	return all, nil
}

func parseSample(line string) (Sample, error) {
	s := Sample{Labels: map[string]string{}}
	at := strings.IndexAny(line, "{ ")
	if at < 0 {
		return s, fmt.Errorf("no value")
	}
	s.Name = line[:at]
	rest := line[at:]
	if rest[0] == '{' {
		var err error
		if rest, err = parseLabels(rest[1:], s.Labels); err != nil {
			return s, err
		}
	}
	fields := strings.Fields(rest) // a value, and perhaps a time
	if len(fields) == 0 {
		return s, fmt.Errorf("no value")
	}
	var err error
	s.Value, err = strconv.ParseFloat(fields[0], 64)
	return s, err
}

// parseLabels reads name="value" pairs up to the closing brace and returns what follows.
func parseLabels(text string, into map[string]string) (rest string, err error) {
	for {
		text = strings.TrimLeft(text, ", ")
		if after, closed := strings.CutPrefix(text, "}"); closed {
			return after, nil
		}
		name, value, found := strings.Cut(text, "=")
		if !found {
			return "", fmt.Errorf("labels do not end")
		}
		quoted, err := strconv.QuotedPrefix(value)
		if err != nil {
			return "", fmt.Errorf("label %s: %w", name, err)
		}
		if into[name], err = strconv.Unquote(quoted); err != nil {
			return "", fmt.Errorf("label %s: %w", name, err)
		}
		text = value[len(quoted):]
	}
}

// Sum adds the samples of a name whose labels (name, value, name, value…) are
// as given, whatever further labels they have. A histogram is asked by its
// _count or _sum.
func (m Metrics) Sum(name string, labels ...string) (sum float64) {
	for _, s := range m {
		if s.Name == name && s.has(labels) {
			sum += s.Value
		}
	}
	return sum
}

// Values returns the distinct values of a label over a metric, sorted.
func (m Metrics) Values(name, label string) []string {
	seen := map[string]bool{}
	for _, s := range m {
		if value, ok := s.Labels[label]; ok && s.Name == name {
			seen[value] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

func (s Sample) has(labels []string) bool {
	for i := 0; i+1 < len(labels); i += 2 {
		if value, ok := s.Labels[labels[i]]; !ok || value != labels[i+1] {
			return false
		}
	}
	return true
}
