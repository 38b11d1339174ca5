package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Accept fills in a form, or consents to a link. [Accept.ContentFor] builds the content.
type Accept struct {
	// Content holds the fixed fields, a JSON object; nil when there are none.
	Content json.RawMessage
	// Defaults also fills in what is left from the defaults of the requested schema.
	Defaults bool

	rule     *Rule
	computed []computedField
	fixed    []string // names in Content
}

// computedField is a field whose value an expression gives.
type computedField struct {
	name string
	expr *expression
}

// accept checks the action of the same name (MCP: Elicitation, response actions).
func (c *compiler) accept(args json.RawMessage, r *Rule) Action {
	a := &Accept{rule: r}
	c.members("accept", args, func(key string, value []byte) bool {
		switch key {
		case "content":
			a.Content = value
			c.members("accept.content", value, func(name string, value []byte) bool {
				a.fixed = append(a.fixed, name)
				c.fieldValue("accept.content."+name, value)
				return true
			})
		case "expr":
			c.members("accept.expr", value, func(name string, value []byte) bool {
				c.computed(a, name, value)
				return true
			})
		case "defaults":
			a.Defaults, _ = c.boolean("accept.defaults", value)
		default:
			return false
		}
		return true
	})
	for _, f := range a.computed {
		if slices.Contains(a.fixed, f.name) {
			c.report("accept.expr."+f.name, "content already holds this field")
		}
	}
	if len(a.fixed) == 0 {
		a.Content = nil
	}
	return a
}

// fieldValue checks a value that a form may take: a string, number, boolean or list of strings.
func (c *compiler) fieldValue(field string, value []byte) {
	switch wire.KindOf(value) {
	case '"', '0', 't':
		return
	case '[':
		items, err := elements(value)
		for _, item := range items {
			if err == nil && wire.KindOf(item) != '"' {
				err = errors.New("")
			}
		}
		if err == nil {
			return
		}
	}
	c.report(field, "must be a string, a number, true, false or a list of strings")
}

func (c *compiler) computed(a *Accept, name string, value []byte) {
	field := "accept.expr." + name
	source, ok := c.text(field, value)
	if !ok {
		return
	}
	if expr := c.expression(field, source, jsonValues); expr != nil {
		a.computed = append(a.computed, computedField{name, expr})
	}
}

// consent says which asks an accept can answer: forms, or links where the match takes only links of
// hosts it names.
func (c *compiler) consent(m *match, a *Accept) kinds {
	if m.kinds != kindsOf(wire.ElicitationURL) {
		return kindsOf(wire.ElicitationForm)
	}
	if !m.mayConsent {
		c.report("accept", "consent to a link needs mode: url and url_host in the match")
	}
	if a.Content != nil || len(a.computed) > 0 || a.Defaults {
		c.report("accept", "a link takes no content, expr or defaults")
	}
	return kindsOf(wire.ElicitationURL)
}

// ContentFor builds the content of the answer: the fixed fields, then the computed ones, then, if
// wanted, defaults. It is a JSON object with every digit as it was written, or nil for a link, which
// takes none. An error is an [*EvalError] and fails the ask. Whether the content fits the requested
// schema is not judged here.
func (a *Accept) ContentFor(q *Question) (json.RawMessage, error) {
	e := evaluation{q: q}
	if q.Kind == wire.ElicitationURL {
		if problem := LinkProblem(q.URL); problem != "" {
			return nil, a.failed("accept", errors.New("the link is not good: "+problem))
		}
		return nil, nil
	}
	if err := e.checkParams(); err != nil {
		return nil, a.failed("accept", err)
	}
	content := &contentWriter{out: []byte{'{'}}
	_ = wire.Each(a.Content, func(name string, value []byte) error {
		content.add(name, value)
		return nil
	})
	for _, f := range a.computed {
		value, err := f.expr.json(&e)
		if err != nil {
			return nil, a.failed("accept.expr."+f.name, err)
		}
		content.add(f.name, value)
	}
	if a.Defaults {
		if err := a.addDefaults(content, q.Params); err != nil {
			return nil, a.failed("accept.defaults", err)
		}
	}
	return append(content.out, '}'), nil
}

func (a *Accept) failed(field string, err error) error {
	return &EvalError{Rule: a.rule, Field: field, Err: err}
}

// contentWriter writes an object member by member.
type contentWriter struct {
	out   []byte
	names map[string]bool
}

func (w *contentWriter) add(name string, value []byte) {
	if w.names == nil {
		w.names = map[string]bool{}
	} else {
		w.out = append(w.out, ',')
	}
	w.names[name] = true
	w.out = append(wire.AppendQuoted(w.out, name), ':')
	w.out = append(w.out, value...)
}

// addDefaults fills in what is left from the requested schema. A required field without a default
// refuses the whole; a field that looks sensitive is left alone unless the rule asks for it by name.
func (a *Accept) addDefaults(w *contentWriter, params []byte) error {
	schema := wire.Get(params, "requestedSchema")
	withheld := map[string]bool{}
	_ = wire.Each(wire.Get(schema, "properties"), func(name string, field []byte) error {
		value := wire.Get(field, "default")
		if w.names[name] || value == nil || wire.KindOf(value) == 'n' {
			return nil
		}
		if looksSensitive(name, field) && !a.names(name) {
			withheld[name] = true
			return nil
		}
		w.add(name, value)
		return nil
	})
	required, _ := elements(wire.Get(schema, "required"))
	for _, raw := range required {
		name, ok := wire.Unquote(raw)
		switch {
		case !ok || w.names[name]:
		case withheld[name]:
			return fmt.Errorf("required field %q looks sensitive and the rule does not name it", wire.Clean(name, maxReason))
		default:
			return fmt.Errorf("required field %q has no default", wire.Clean(name, maxReason))
		}
	}
	return nil
}

// names reports whether the rule's match asks for a field by name.
func (a *Accept) names(field string) bool {
	return a.rule != nil && slices.Contains(a.rule.match.named, field)
}
