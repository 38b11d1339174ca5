package config

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// ruleList is the rules of a file as policy compiles them, and where each stands.
type ruleList struct {
	specs []policy.Spec
	at    []value
}

// then gives the rules of l followed by those of m.
func (l ruleList) then(m ruleList) ruleList {
	return ruleList{specs: slices.Concat(l.specs, m.specs), at: slices.Concat(l.at, m.at)}
}

// compile hands the rules to policy and notes its problems where they belong.
func (l ruleList) compile(r *reader) *policy.Set {
	set, problems := policy.Compile(l.specs, r.opts.Actions)
	for _, p := range problems {
		l.find(p).fail("%s", p.Message)
	}
	return set
}

// shadowed warns of rules that never decide because of an earlier one of the same list. A route's rule in front of a
// general one is no mistake.
func (l ruleList) shadowed() (warnings Problems) {
	for _, p := range policy.Shadowed(l.specs) {
		v := l.find(p)
		warnings = append(warnings, Problem{File: v.r.file, Line: v.line, Field: v.path, Message: p.Message})
	}
	return warnings
}

// find gives the value that a problem of policy is about.
func (l ruleList) find(p policy.Problem) value {
	v := l.at[p.Rule]
	if p.Field == "" {
		return v
	}
	found := descend(v, p.Field)
	found.path = v.in(p.Field)
	return found
}

// descend follows a path such as accept.content[0].x as far as it leads. A key may have dots of its own: the longest
// that fits is taken.
func descend(v value, path string) value {
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return v
	}
	switch v.node.Kind {
	case yaml.MappingNode:
		best, line, rest := (*yaml.Node)(nil), 0, ""
		for i := 0; i+1 < len(v.node.Content); i += 2 {
			key := v.node.Content[i]
			after, ok := strings.CutPrefix(path, key.Value)
			if ok && (after == "" || after[0] == '.' || after[0] == '[') && (best == nil || len(after) < len(rest)) {
				best, line, rest = v.node.Content[i+1], key.Line, after
			}
		}
		if best != nil {
			return descendInto(v, best, line, rest)
		}
	case yaml.SequenceNode:
		index, rest, ok := strings.Cut(strings.TrimPrefix(path, "["), "]")
		if n, good := plainIndex(index); ok && good && n < len(v.node.Content) {
			return descendInto(v, v.node.Content[n], v.node.Content[n].Line, rest)
		}
	}
	return v
}

func descendInto(v value, n *yaml.Node, line int, rest string) value {
	c, ok := v.child(n, line, v.path)
	if !ok {
		return v
	}
	return descend(c, rest)
}

func plainIndex(s string) (n int, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > maxNodes {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, s != ""
}

// rules is a list of rules. What is inside of a match or an action is policy's to judge.
type rules struct{ dst *ruleList }

func (rules) grammar() string  { return "[ <rule>, ... ]" }
func (rules) fallback() string { return "[]" }

func (l rules) read(v value) {
	items, ok := v.list()
	if !ok {
		return
	}
	for _, item := range items {
		if spec, ok := readRule(item); ok {
			l.dst.specs = append(l.dst.specs, spec)
			l.dst.at = append(l.dst.at, item)
		}
	}
}

// verbs are the actions of policy itself; those of other packages come with the Options.
func verbs() []string {
	return []string{"accept", "decline", "cancel", "roots", "reply", "forward", "fail"}
}

// readRule takes a rule apart. One without a good action gets one that policy has nothing to say about, so that the rest
// of the rule is judged as well.
func readRule(v value) (spec policy.Spec, ok bool) {
	entries, ok := v.mapping()
	if !ok {
		return spec, false
	}
	unknown := 0
	for _, e := range entries {
		_, extra := v.r.opts.Actions[e.key]
		switch {
		case e.key == "name":
			spec.Name, ok = e.value.text("<string>")
		case e.key == "match":
			spec.Match, ok = e.value.json()
		case e.key == "mode":
			mode := ModeEnforce
			oneOf(&mode, ModeEnforce, ModeObserve).read(e.value)
			spec.Mode = string(mode)
		case !extra && !slices.Contains(verbs(), e.key):
			unknown++
			e.value.fail("unknown key%s", suggestRuleKey(e.key))
		case spec.Action != "":
			e.value.fail("a rule has one action, and this one already has %s", spec.Action)
		default:
			spec.Action = e.key
			if extra {
				e.value.placeSecret()
			}
			spec.Args, ok = e.value.json()
		}
		if !ok {
			return spec, false
		}
	}
	if spec.Action == "" {
		spec.Action = "forward"
		if unknown == 0 {
			v.fail("has no action, want one of %s", strings.Join(append(verbs(), extraVerbs(v.r.opts)...), ", "))
		}
	}
	return spec, true
}

// placeSecret lets the file of an action's secret count from the folder of the configuration, as every other path does.
func (v value) placeSecret() {
	if file := v.member("secret").member("file"); file.node != nil && file.node.Kind == yaml.ScalarNode {
		file.node.Value = v.r.resolve(file.node.Value)
	}
}

func suggestRuleKey(key string) string {
	s := section{}
	for _, k := range append(verbs(), "name", "match", "mode") {
		s.fields = append(s.fields, field{key: k})
	}
	return s.suggest(key)
}

func extraVerbs(o Options) []string {
	var out []string
	for verb := range o.Actions {
		out = append(out, verb)
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}
