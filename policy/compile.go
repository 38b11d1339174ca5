package policy

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"cel.dev/cel-go/cel"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Set is the checked rules of a route, in order. A nil Set is a set without rules.
type Set struct{ rules []*Rule }

// Rules returns the rules in order. The slice belongs to the Set.
func (s *Set) Rules() []*Rule {
	if s == nil {
		return nil
	}
	return s.rules
}

// Modes of a rule.
const (
	modeEnforce = "enforce"
	modeObserve = "observe"
)

// maxName bounds a rule's name, in bytes: it becomes a label.
const maxName = 128

// Compile checks rules and returns every problem at once; the Set is nil when there is any. extra
// holds the parsers of actions beyond this package's own, by verb; it may be nil.
func Compile(specs []Spec, extra map[string]ActionParser) (*Set, []Problem) {
	c := &compiler{extra: extra, names: map[string]int{}}
	set := &Set{rules: make([]*Rule, 0, len(specs))}
	for i := range specs {
		c.rule = i
		set.rules = append(set.rules, c.compile(&specs[i]))
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return set, nil
}

// compiler checks one rule after the other and gathers their problems.
type compiler struct {
	extra    map[string]ActionParser
	names    map[string]int
	env      *cel.Env // made for the first expression
	rule     int
	problems []Problem
}

func (c *compiler) compile(spec *Spec) *Rule {
	c.name(spec.Name)
	r := &Rule{Name: spec.Name}
	switch spec.Mode {
	case "", modeEnforce:
	case modeObserve:
		r.Observed = true
	default:
		c.report("mode", "must be one of %s, %s", modeEnforce, modeObserve)
	}
	before := len(c.problems)
	r.match = c.match(spec.Match)
	sound := len(c.problems) == before
	r.Action = c.action(spec, r)
	if sound && r.Action != nil {
		c.fit(r)
	}
	return r
}

func (c *compiler) name(name string) {
	first, seen := c.names[name]
	switch {
	case name == "":
		c.report("name", "a rule needs a name")
	case seen:
		c.report("name", "rule %d has the same name", first+1)
	case len(name) > maxName || !printable(name):
		c.report("name", "must be at most %d bytes of printable text", maxName)
	}
	if !seen {
		c.names[name] = c.rule
	}
}

func printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return utf8.ValidString(s)
}

// report adds a problem of the rule at hand.
func (c *compiler) report(field, format string, args ...any) {
	c.problems = append(c.problems, Problem{Rule: c.rule, Field: field, Message: fmt.Sprintf(format, args...)})
}

// fit narrows what a rule matches to what its action can answer.
func (c *compiler) fit(r *Rule) {
	m := &r.match
	can := allKinds
	switch a := r.Action.(type) {
	case *Accept:
		can = c.consent(m, a)
		m.readsParams = true
	case *Decline, *Cancel:
		can = elicitations
	case *Roots:
		can = kindsOf(wire.Roots)
	case *Reply:
		can = kindsOf(wire.Sampling)
	}
	if m.kinds&can == 0 {
		c.report(r.Action.Verb(), "cannot answer what the rule matches")
	}
	m.kinds &= can
}
