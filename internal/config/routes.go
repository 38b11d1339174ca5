package config

import (
	"regexp"
	"slices"
	"strings"
)

// draft is where the parts of a Config stand in the file, for the checks that need more than one of them.
type draft struct {
	general   ruleList
	tools     []toolDraft
	onFailure value
	tls       value
	routes    []*routeDraft
}

type routeDraft struct {
	path       value
	own        ruleList
	tools      []toolDraft
	credential value // of the first fixed credential; without a node when there is none
	publish    value // without a node when it is not given
	tls        value

	timeout, callTimeout bool // are given
}

// routeList is the list of routes: at least one, each under a path of its own. A route's limits start from the general
// ones, which have been read by then.
type routeList struct {
	c *Config
	d *draft
}

func (l routeList) grammar() string { return "[ <route>, ... ]" }
func (routeList) fallback() string  { return "" }

func (l routeList) read(v value) {
	items, ok := v.list()
	if !ok {
		return
	}
	if len(items) == 0 {
		v.fail("is empty, want at least one route")
	}
	l.c.Routes = make([]Route, len(items))
	seen := map[string]int{}
	for i, item := range items {
		r, d := &l.c.Routes[i], &routeDraft{path: item}
		*r = DefaultRoute()
		r.Limits = l.c.Limits
		routeKeys(r, d).read(item)
		if d.timeout && !d.callTimeout { // who sets one for silence means every silence
			r.Upstream.CallTimeout = r.Upstream.Timeout
		}
		if line, again := seen[r.Path]; again {
			d.path.fail("%s is already served by the route of line %d", r.Path, line)
		} else {
			seen[r.Path] = d.path.line
		}
		l.d.routes = append(l.d.routes, d)
	}
}

// plainPath is what a route may be served under, but for "/" and dot segments.
var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._~-]+)+$`)

// routePath is the path of a route: letters, digits and "-._~", so that it means the same to every router and metric.
type routePath struct {
	dst *string
	at  *value
}

func (routePath) grammar() string    { return "<route path>" }
func (p routePath) fallback() string { return *p.dst }

func (p routePath) read(v value) {
	text, ok := v.text(p.grammar())
	if !ok {
		return
	}
	*p.at = v
	clean := strings.TrimSuffix(text, "/")
	segments := strings.Split(clean, "/")
	if text != "/" && (!plainPath.MatchString(clean) || slices.Contains(segments, ".") || slices.Contains(segments, "..")) {
		v.fail("%s is no path of plain segments such as /mcp or /team/mcp", quoted(text))
		return
	}
	if clean == "" {
		clean = "/"
	}
	*p.dst = clean
}

// resultType is a further resultType that is final; those of the specification are settled.
func resultType(dst *string) kind {
	k := word(dst).(scalar[string])
	parse := k.parse
	k.parse = func(s string) (string, string) {
		if s == "complete" || s == "input_required" {
			return "", s + " has its meaning from the specification"
		}
		return parse(s)
	}
	return k
}
