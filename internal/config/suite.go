package config

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Suite is a file of policy tests, checked, with the configuration that it tests.
type Suite struct {
	File   string
	Config *Config
	Cases  []Case
}

// Case is one test: asks, what they belong to, and what has to become of them.
type Case struct {
	Name    string
	Line    int
	Route   string // path of the route; "" = the only one
	Request policy.Request
	Client  policy.Client
	// Capabilities are the client's, raw; nil = it can be asked everything.
	Capabilities json.RawMessage
	Round        int
	Asks         []CaseAsk
	Declared     Expected[json.RawMessage] // the client capabilities that go upstream
}

// CaseAsk is an ask with what has to become of it.
type CaseAsk struct {
	Ask  resolver.Ask
	Want Want
}

// Want is what has to become of an ask, as far as it is said.
type Want struct {
	Rule     Expected[string]          // that decides; "" = none
	Action   Expected[string]          // of that rule; "forward" where there is none
	Answer   Expected[json.RawMessage] // after validation
	Failure  Expected[string]          // refused, invalid_response, no_channel or protocol
	Observed Expected[[]string]        // rules on trial that would decide
}

// Expected is a value and where it is said.
type Expected[T any] struct {
	Value T
	Given bool
	Line  int
	Field string // as in cases[0].want.rule
}

// LoadSuite reads and checks a file of policy tests and the configuration that it names, with the options of the latter.
// The Suite is nil exactly when there are problems.
func LoadSuite(path string, o Options) (*Suite, Problems) {
	data, problems := readFile(path)
	if problems != nil {
		return nil, problems
	}
	root, problem := document(data)
	if problem != nil {
		problem.File = path
		return nil, Problems{*problem}
	}
	r := &reader{file: path, dir: filepath.Dir(path), opts: o}
	d := &suiteDraft{}
	top, ok := value{r: r, depth: -1}.child(root, root.Line, "")
	if !ok {
		return nil, r.problems
	}
	suiteKeys(d).read(top)
	r.sameNames(d)
	var about Problems
	s := &Suite{File: path}
	if d.config != "" {
		s.Config, about = Load(d.config, o)
	}
	if s.Config != nil {
		r.places(s.Config, d)
	}
	if problems := append(r.problems.sorted(), about...); len(problems) > 0 {
		return nil, problems
	}
	for _, c := range d.cases {
		s.Cases = append(s.Cases, c.Case)
	}
	return s, nil
}

// suiteDraft is a suite while it is read, with the defaults of its cases.
type suiteDraft struct {
	config   string
	defaults caseDraft
	cases    []*caseDraft
}

// caseDraft is a case and where its parts stand.
type caseDraft struct {
	Case
	at, name, route value
	hasAsk, hasAsks bool
	want            Want // beside ask
	wanted          value
}

func (r *reader) sameNames(d *suiteDraft) {
	first := map[string]int{}
	for _, c := range d.cases {
		if line, again := first[c.Name]; again && c.Name != "" {
			c.name.fail("the case of line %d has the same name", line)
		} else {
			first[c.Name] = c.name.line
		}
	}
}

// places checks what cases say of the configuration: routes, and the names of rules and actions.
func (r *reader) places(c *Config, d *suiteDraft) {
	for _, one := range d.cases {
		route := c.RouteAt(one.Route)
		if route == nil {
			at := one.route
			if at.node == nil {
				at = one.at
			}
			at.fail("there is no such route, want one of %s", strings.Join(c.Paths(), ", "))
			continue
		}
		one.Route = route.Path
		for _, a := range one.Asks {
			r.rulesOf(route, &a.Want)
		}
	}
}

func (r *reader) rulesOf(route *Route, w *Want) {
	known := func(name string) bool {
		return slices.ContainsFunc(route.Rules.Rules(), func(rule *policy.Rule) bool { return rule.Name == name })
	}
	check := func(name string, line int, field string) {
		if name != "" && !known(name) {
			value{r: r, line: line, path: field}.fail("the route %s has no rule %s", route.Path, quoted(name))
		}
	}
	check(w.Rule.Value, w.Rule.Line, w.Rule.Field)
	for _, name := range w.Observed.Value {
		check(name, w.Observed.Line, w.Observed.Field)
	}
}
