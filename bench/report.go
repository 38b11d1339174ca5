package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// report is what was found.
type report struct {
	began    time.Time
	settings settings
	rows     []row
	foreign  []float64
}

// row is a line of the table.
type row struct {
	work, what, unit string
	measured         float64
	low, high        float64 // of the rounds, where there are some
	aside            string
	gate, aim        bound
}

func (r *report) add(name string, g figure, rounds []*round) {
	each := make([]float64, len(rounds))
	for i := range rounds {
		each[i] = g.of(rounds[i])
	}
	w := row{work: name, what: g.what, unit: g.unit, measured: middle(each), low: slices.Min(each), high: slices.Max(each), gate: g.gate, aim: g.aim}
	if g.aside != nil {
		w.aside = g.aside(rounds)
	}
	r.rows = append(r.rows, w)
}

func median(rs []*round, of func(*round) float64) float64 {
	each := make([]float64, len(rs))
	for i := range rs {
		each[i] = of(rs[i])
	}
	return middle(each)
}

// middle is the median.
func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// verdict judges a row.
func (w *row) verdict() string {
	switch {
	case !w.gate.holds(w.measured):
		return "**missed**"
	case !w.aim.holds(w.measured):
		return "gate"
	}
	return "aim"
}

func (b bound) String() string {
	if b.least {
		return "≥ " + digits(b.value)
	}
	return "≤ " + digits(b.value)
}

// digits writes a number with as many digits as mean something.
func digits(v float64) string {
	switch {
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10 || v <= -10:
		return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
	case v >= 0.1 || v <= -0.1:
		return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.2f", v), "0"), ".0")
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// table writes the rows as Markdown.
func (r *report) table(w io.Writer) {
	_, _ = fmt.Fprint(w, "| work | measured | gate | aim | verdict |\n|---|---|---|---|---|\n")
	for _, row := range r.rows {
		measured := row.what + " " + digits(row.measured) + " " + row.unit
		if row.low != row.high {
			measured += fmt.Sprintf(" [%s–%s]", digits(row.low), digits(row.high))
		}
		if row.aside != "" {
			measured += " (" + row.aside + ")"
		}
		_, _ = fmt.Fprintf(w, "| %s | %s | %s | %s | %s |\n", row.work, measured, row.gate, row.aim, row.verdict())
	}
}

// notes say how far the figures can be trusted.
func (r *report) notes(w io.Writer) {
	if len(r.foreign) == 0 {
		return
	}
	_, _ = fmt.Fprintf(w, "\nMedians of %d rounds of %v, with the range of the rounds; %d processors, of which others took %s meanwhile, at most %s.\n",
		r.settings.rounds, r.settings.turn, runtime.NumCPU(), digits(middle(r.foreign)), digits(slices.Max(r.foreign)))
}

// publish prints the report, writes it to a file where that was asked for, and says
// what is not as it must be.
func (r *report) publish(s settings) error {
	r.table(os.Stdout)
	r.notes(os.Stdout)
	if s.out != "" {
		if err := r.write(s.out); err != nil {
			return err
		}
	}
	missed := 0
	for i := range r.rows {
		w := &r.rows[i]
		if w.unit == "of 10" && !w.gate.holds(w.measured) {
			return fmt.Errorf("%s: events were lost", w.work)
		}
		if !w.gate.holds(w.measured) {
			missed++
		}
	}
	if s.strict && missed > 0 {
		return fmt.Errorf("%d gates are missed", missed)
	}
	return nil
}
