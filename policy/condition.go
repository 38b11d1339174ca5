package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// condition is one member of a match that needs the ask.
type condition interface {
	// field is the member's key.
	field() string
	// holds judges a question; an error fails the ask.
	holds(e *evaluation) (bool, error)
	// told says what the condition wants and what it met, for people.
	told(e *evaluation, holds bool) string
	// covers reports, erring to false, whether this holds whenever other does.
	covers(other condition) bool
}

// forecast is a member of a match that is judged before there is an ask.
type forecast interface {
	field() string
	foresees(r *Request, c *Client) bool
	told(r *Request, c *Client, holds bool) string
	covers(other forecast) bool
}

// requestIs is `request`: the method of the request.
type requestIs struct{ method string }

func (requestIs) field() string                         { return "request" }
func (f requestIs) foresees(r *Request, _ *Client) bool { return r.Method == f.method }
func (f requestIs) told(r *Request, _ *Client, holds bool) string {
	return compared(f.method, r.Method, holds)
}

func (f requestIs) covers(other forecast) bool {
	switch o := other.(type) {
	case requestIs:
		return o == f
	case nameIs:
		return o.method == f.method
	}
	return false
}

// nameIs is `tool`, `prompt` or `resource`: what the request names.
type nameIs struct {
	key, method string
	glob        *glob
}

func (f nameIs) field() string { return f.key }
func (f nameIs) foresees(r *Request, _ *Client) bool {
	return r.Method == f.method && f.glob.match(r.Name)
}

func (f nameIs) told(r *Request, _ *Client, holds bool) string {
	if r.Method != f.method {
		return fmt.Sprintf("a request of %s, this is %q", f.method, wire.Clean(r.Method, maxReason))
	}
	return compared(f.glob.source, r.Name, holds)
}

func (f nameIs) covers(other forecast) bool {
	o, ok := other.(nameIs)
	return ok && o.method == f.method && f.glob.covers(o.glob)
}

// clientIs is `client`: the client's name.
type clientIs struct{ glob *glob }

func (clientIs) field() string                         { return "client" }
func (f clientIs) foresees(_ *Request, c *Client) bool { return f.glob.match(c.Name) }
func (f clientIs) told(_ *Request, c *Client, holds bool) string {
	return compared(f.glob.source, c.Name, holds)
}

func (f clientIs) covers(other forecast) bool {
	o, ok := other.(clientIs)
	return ok && f.glob.covers(o.glob)
}

// messageIs is `message`: the question of an elicitation.
type messageIs struct{ glob *glob }

func (messageIs) field() string                       { return "message" }
func (c messageIs) holds(e *evaluation) (bool, error) { return c.glob.match(e.q.Message), nil }
func (c messageIs) told(e *evaluation, holds bool) string {
	return compared(c.glob.source, e.q.Message, holds)
}

func (c messageIs) covers(other condition) bool {
	o, ok := other.(messageIs)
	return ok && c.glob.covers(o.glob)
}

// linkTo is `url_host`: the host of a link that is good.
type linkTo struct{ glob *glob }

func (linkTo) field() string { return "url_host" }
func (c linkTo) holds(e *evaluation) (bool, error) {
	host := e.linkHost()
	return host != "" && c.glob.match(host), nil
}

func (c linkTo) told(e *evaluation, holds bool) string {
	if problem := LinkProblem(e.q.URL); problem != "" {
		return "the link is not good: " + problem
	}
	return compared(c.glob.source, e.linkHost(), holds)
}

func (c linkTo) covers(other condition) bool {
	o, ok := other.(linkTo)
	return ok && c.glob.covers(o.glob)
}

// asksFor is `fields`: a form asks for all of these.
type asksFor struct{ names []string }

func (asksFor) field() string                       { return "fields" }
func (c asksFor) holds(e *evaluation) (bool, error) { return within(c.names, e.q.Fields), nil }
func (c asksFor) told(e *evaluation, holds bool) string {
	return compared(strings.Join(c.names, ", "), strings.Join(e.q.Fields, ", "), holds)
}

func (c asksFor) covers(other condition) bool {
	o, ok := other.(asksFor)
	return ok && within(c.names, o.names)
}

// asksOnlyFor is `only_fields`: a form asks for nothing but these.
type asksOnlyFor struct{ names []string }

func (asksOnlyFor) field() string                       { return "only_fields" }
func (c asksOnlyFor) holds(e *evaluation) (bool, error) { return within(e.q.Fields, c.names), nil }
func (c asksOnlyFor) told(e *evaluation, holds bool) string {
	return compared(strings.Join(c.names, ", "), strings.Join(e.q.Fields, ", "), holds)
}

func (c asksOnlyFor) covers(other condition) bool {
	o, ok := other.(asksOnlyFor)
	return ok && within(o.names, c.names)
}

// whenTrue is `when`: an expression.
type whenTrue struct{ expr *expression }

func (whenTrue) field() string                       { return "when" }
func (c whenTrue) holds(e *evaluation) (bool, error) { return c.expr.holds(e) }
func (c whenTrue) told(_ *evaluation, holds bool) string {
	return fmt.Sprintf("%s is %t", c.expr.source, holds)
}

// covers holds for the same text: an earlier rule whose expression fails decides too.
func (c whenTrue) covers(other condition) bool {
	o, ok := other.(whenTrue)
	return ok && strings.TrimSpace(c.expr.source) == strings.TrimSpace(o.expr.source)
}

// within reports whether every name is among all.
func within(names, all []string) bool {
	for _, n := range names {
		if !slices.Contains(all, n) {
			return false
		}
	}
	return true
}

func compared(want, met string, holds bool) string {
	verb := "does not match"
	if holds {
		verb = "matches"
	}
	return fmt.Sprintf("%q %s %q", want, verb, wire.Clean(met, maxReason))
}
