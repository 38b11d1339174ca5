package explain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// maxShown bounds, in characters, what a peer wrote and people read.
const maxShown = 100

// WriteJSON writes the report as one JSON document.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "route:    %s\n", r.Route)
	fmt.Fprintf(&b, "request:  %s\n", words(r.Request.Method, r.Request.Name))
	fmt.Fprintf(&b, "client:   %s\n", r.Client.text())
	fmt.Fprintf(&b, "declared: %s\n", r.Declared)
	for i := range r.Asks {
		b.WriteByte('\n')
		r.Asks[i].writeText(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (c *Client) text() string {
	who := words(c.Name, c.Version, c.Protocol)
	if who == "" {
		who = "any"
	}
	if c.Assumed {
		return who + ", taken to be able to answer everything"
	}
	return who + ", with the capabilities " + string(c.Capabilities)
}

// words joins what peers wrote, cleaned, and leaves out what is empty.
func words(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, wire.Clean(p, maxShown))
		}
	}
	return strings.Join(out, " ")
}

func (a *Ask) writeText(b *bytes.Buffer) {
	fmt.Fprintf(b, "ask %q, %s\n", wire.Clean(a.Key, maxShown), a.Kind)
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, r := range a.Rules {
		action := r.Action
		if r.Observed {
			action += ", on trial"
		}
		name, verdict := r.Name, string(r.Verdict)
		for _, why := range r.why() {
			_, _ = fmt.Fprintf(t, "  %s\t%s\t%s\t%s\n", name, action, verdict, why)
			name, action, verdict = "", "", "" // further reasons stand below the first
		}
	}
	_ = t.Flush()
	if !a.Declared {
		b.WriteString("  what it needs is not declared, so a server should not ask it\n")
	}
	b.WriteString(a.ending())
}

// why is what a rule says for itself, a line each.
func (r *Rule) why() []string {
	switch {
	case r.Error != "":
		return []string{r.Error}
	case len(r.Reasons) == 0:
		return []string{""}
	}
	return r.Reasons
}

// ending tells what decides, and what comes of it.
func (a *Ask) ending() string {
	var b strings.Builder
	switch {
	case a.Action == "":
		b.WriteString("decision: none, no rule is looked at\n")
	case a.Rule == "":
		fmt.Fprintf(&b, "decision: no rule, so %s%s\n", a.Action, a.unasked())
	default:
		fmt.Fprintf(&b, "decision: %s by %s%s\n", a.Action, a.Rule, a.unasked())
	}
	switch {
	case a.Asked:
		fmt.Fprintf(&b, "answer:   from the %s, which is asked\n", a.Source)
	case a.Failure != nil:
		fmt.Fprintf(&b, "failure:  %s: %s\n", words(a.Failure.Kind, a.Failure.Reason), a.Failure.Text)
	default:
		fmt.Fprintf(&b, "answer:   %s\n", compact(a.Answer))
	}
	return b.String()
}

// unasked says why a forward asks nobody.
func (a *Ask) unasked() string {
	if a.Outcome == metrics.AskNoChannel.String() {
		return ", and the client cannot be asked"
	}
	return ""
}

// compact puts JSON on one line.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
