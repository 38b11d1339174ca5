package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Result is what became of one case of a suite.
type Result struct {
	File        string
	Case        string
	Report      *Report
	Differences []Difference // none: the case passes
}

// Difference is an expectation that was not met, and where it is said.
type Difference struct {
	File      string
	Line      int
	Field     string
	Want, Got string
}

// String gives file:line: field: what differs.
func (d Difference) String() string {
	return fmt.Sprintf("%s:%d: %s: want %s, got %s", d.File, d.Line, d.Field, d.Want, d.Got)
}

// Run runs the cases of a suite.
func Run(s *config.Suite) ([]Result, error) {
	var results []Result
	for i := range s.Cases {
		c := &s.Cases[i]
		report, err := Explain(s.Config, queryOf(c))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", s.File, c.Line, err)
		}
		r := comparison{file: s.File}
		r.object(&c.Declared, report.Declared)
		for i := range c.Asks {
			r.ask(&c.Asks[i].Want, &report.Asks[i])
		}
		results = append(results, Result{File: s.File, Case: c.Name, Report: report, Differences: r.differences})
	}
	return results, nil
}

func queryOf(c *config.Case) *Query {
	q := New()
	can := q.Client.Can
	q.Route, q.Request, q.Client, q.Round = c.Route, c.Request, c.Client, c.Round
	q.Client.Can = can
	if c.Capabilities != nil {
		q.Client.Can, q.Assumed = wire.ParseCapabilities(c.Capabilities).Can, false
	}
	q.Asks = make([]resolver.Ask, len(c.Asks))
	for i := range c.Asks {
		q.Asks[i] = c.Asks[i].Ask
	}
	return q
}

// comparison gathers what differs.
type comparison struct {
	file        string
	differences []Difference
}

func (c *comparison) ask(w *config.Want, got *Ask) {
	c.text(&w.Rule, got.Rule, "no rule")
	c.text(&w.Action, got.Action, "none")
	failure := ""
	if got.Failure != nil {
		if failure = got.Failure.Reason; failure == "" {
			failure = got.Failure.Kind
		}
	}
	c.text(&w.Failure, failure, "no failure")
	c.object(&w.Answer, got.Answer)
	var observed []string
	for _, o := range got.Observed {
		observed = append(observed, o.Rule)
	}
	if w.Observed.Given && !slices.Equal(w.Observed.Value, observed) {
		c.add(w.Observed.Line, w.Observed.Field, listed(w.Observed.Value), listed(observed))
	}
}

func (c *comparison) text(want *config.Expected[string], got, none string) {
	if want.Given && want.Value != got {
		c.add(want.Line, want.Field, named(want.Value, none), named(got, none))
	}
}

func (c *comparison) object(want *config.Expected[json.RawMessage], got json.RawMessage) {
	if !want.Given || got != nil && sameJSON(want.Value, got) {
		return
	}
	shown := "none"
	if got != nil {
		shown = compact(got)
	}
	c.add(want.Line, want.Field, compact(want.Value), shown)
}

func (c *comparison) add(line int, field, want, got string) {
	c.differences = append(c.differences, Difference{c.file, line, field, want, got})
}

func named(s, none string) string {
	if s == "" {
		return none
	}
	return s
}

func listed(names []string) string {
	if len(names) == 0 {
		return "no rule"
	}
	return strings.Join(names, ", ")
}

// WriteTable writes one line an ask, the differences behind it, and how many cases differ. It returns that number.
func WriteTable(w io.Writer, results []Result) (differ int, err error) {
	var table, out bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for i := range results {
		for _, row := range results[i].rows() {
			_, _ = fmt.Fprintln(t, row)
		}
	}
	_ = t.Flush()
	for i := range results {
		for range results[i].rows() {
			line, _ := table.ReadBytes('\n')
			out.Write(line)
		}
		for _, d := range results[i].Differences {
			fmt.Fprintf(&out, "      %s\n", d)
		}
		if len(results[i].Differences) > 0 {
			differ++
		}
	}
	cases := "cases"
	if len(results) == 1 {
		cases = "case"
	}
	fmt.Fprintf(&out, "%d %s, %d failed\n", len(results), cases, differ)
	_, err = w.Write(out.Bytes())
	return differ, err
}

// rows are the lines of a case: one an ask, or one for what is declared.
func (r *Result) rows() (rows []string) {
	word := "ok"
	if len(r.Differences) > 0 {
		word = "FAIL"
	}
	for i := range r.Report.Asks {
		a := &r.Report.Asks[i]
		became := a.Outcome
		if a.Asked {
			became = "the " + a.Source + " is asked"
		}
		rows = append(rows, strings.Join([]string{word, r.Case, wire.Clean(a.Key, maxShown), named(a.Rule, "-"), became}, "\t"))
	}
	if len(rows) == 0 {
		rows = append(rows, strings.Join([]string{word, r.Case, "-", "-", "declared " + string(r.Report.Declared)}, "\t"))
	}
	return rows
}
