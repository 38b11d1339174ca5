package config

import "github.com/mrtr-proxy/mrtr-proxy/policy"

// toolDraft is an entry of limits.tools: what it changes is read again for every route, over the route's own limits.
type toolDraft struct {
	tools policy.Pattern
	at    value
}

// toolList is limits by patterns over names of tools, in the order of the file.
type toolList struct{ dst *[]toolDraft }

func (toolList) grammar() string  { return "{ <pattern>: <toollimits>, ... }" }
func (toolList) fallback() string { return "{}" }

func (l toolList) read(v value) {
	entries, ok := v.mapping()
	if !ok {
		return
	}
	*l.dst = nil
	for _, e := range entries {
		pattern, err := policy.ParsePattern(e.key)
		switch {
		case err != nil:
			e.value.fail("%v", err)
		case e.key == "":
			e.value.fail("is a pattern that no tool fits")
		}
		*l.dst = append(*l.dst, toolDraft{pattern, e.value})
	}
}

// tools works out the limits of tools for every route: its own entries, then the general ones.
func (r *reader) tools(c *Config, d *draft) {
	for _, general := range d.tools { // there may be no route
		limits := c.Limits
		toolKeys(&limits).read(general.at)
	}
	defer func(nodes int) { r.nodes = nodes }(r.nodes) // the same nodes again
	for i, route := range d.routes {
		for _, entries := range [][]toolDraft{route.tools, d.tools} {
			for _, entry := range entries {
				t := ToolLimits{Tools: entry.tools, Limits: c.Routes[i].Limits}
				toolKeys(&t.Limits).read(entry.at)
				c.Routes[i].Tools = append(c.Routes[i].Tools, t)
			}
		}
	}
}
