package config

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// What a file may be made of, so that aliases cannot blow it up or go round in circles.
const (
	maxNodes = 100_000
	maxDepth = 64
)

// reader collects problems while the nodes of a file are walked, once.
type reader struct {
	file     string
	dir      string // of the file: relative paths count from here
	opts     Options
	problems Problems
	nodes    int
}

// value is a node of the file and where it stands.
type value struct {
	r     *reader
	node  *yaml.Node // never an alias
	line  int        // of the key, where there is one
	path  string     // as in routes[0].upstream
	depth int
}

// entry is a member of a mapping.
type entry struct {
	key   string
	value value
}

// fail notes a problem of the value.
func (v value) fail(format string, args ...any) {
	v.r.problems = append(v.r.problems, Problem{File: v.r.file, Line: v.line, Field: v.path, Message: fmt.Sprintf(format, args...)})
}

// child is a node inside v; ok is false when the file has grown out of its bounds, which is told once.
func (v value) child(n *yaml.Node, line int, path string) (c value, ok bool) {
	c = value{r: v.r, node: n, line: line, path: path, depth: v.depth + 1}
	for c.node.Kind == yaml.AliasNode {
		c.node = c.node.Alias
	}
	if v.r.nodes++; v.r.nodes == maxNodes || (c.depth == maxDepth && v.r.nodes < maxNodes) {
		c.fail("is nested too deep or repeats too much")
		v.r.nodes = maxNodes
	}
	return c, v.r.nodes < maxNodes
}

// in is the path of a key inside v.
func (v value) in(key string) string {
	if q := strconv.Quote(key); q != `"`+key+`"` || key == "" {
		key = q
	}
	if v.path == "" {
		return key
	}
	return v.path + "." + key
}

// mapping gives the members of a mapping in the order of the file; null is an empty one. Keys that are repeated or no
// text are problems, and left out.
func (v value) mapping() (entries []entry, ok bool) {
	if v.isNull() {
		return nil, true
	}
	if v.node.Kind != yaml.MappingNode {
		v.fail("is %s, want a mapping", v.sort())
		return nil, false
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		key, held := v.node.Content[i], v.node.Content[i+1]
		path := v.in(key.Value)
		c, fits := v.child(held, key.Line, path)
		switch first, again := lines[key.Value]; {
		case !fits:
			return nil, false
		case key.Kind != yaml.ScalarNode:
			c.path = v.path
			c.fail("a key must be a plain text")
		case key.Tag == "!!merge":
			c.fail("merge keys are not supported")
		case again:
			c.fail("is already given in line %d", first)
		default:
			lines[key.Value] = key.Line
			entries = append(entries, entry{key.Value, c})
		}
	}
	return entries, true
}

// member gives a member of a mapping, without a node when there is none.
func (v value) member(key string) value {
	if v.node == nil || v.node.Kind != yaml.MappingNode {
		return value{}
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		if v.node.Content[i].Value == key {
			if c, ok := v.child(v.node.Content[i+1], v.node.Content[i].Line, v.in(key)); ok {
				return c
			}
		}
	}
	return value{}
}

// list gives the items of a list; null is an empty one.
func (v value) list() (items []value, ok bool) {
	if v.isNull() {
		return nil, true
	}
	if v.node.Kind != yaml.SequenceNode {
		v.fail("is %s, want a list", v.sort())
		return nil, false
	}
	for i, n := range v.node.Content {
		c, fits := v.child(n, n.Line, fmt.Sprintf("%s[%d]", v.path, i))
		if !fits {
			return nil, false
		}
		items = append(items, c)
	}
	return items, true
}

// text gives a scalar as it was written; what says what was expected.
func (v value) text(what string) (s string, ok bool) {
	switch {
	case v.isNull():
		v.fail("has no value, want %s", what)
	case v.node.Kind != yaml.ScalarNode:
		v.fail("is %s, want %s", v.sort(), what)
	case v.node.Tag == "!!binary" || v.isForeign():
		v.fail("has the tag %s, which is not supported", v.node.Tag)
	default:
		return v.node.Value, true
	}
	return "", false
}

// isNull: the value was left out, or is a null as YAML writes it.
func (v value) isNull() bool { return v.node.Kind == yaml.ScalarNode && v.node.Tag == "!!null" }

// isForeign: the value has a tag beyond YAML's own.
func (v value) isForeign() bool {
	return v.node.Tag != "" && !strings.HasPrefix(v.node.Tag, "!!")
}

// sort names the kind of node, for people.
func (v value) sort() string {
	switch v.node.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "a plain value"
	}
}
