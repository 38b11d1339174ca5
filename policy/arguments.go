package policy

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// verbs are the actions of this package.
var verbs = [...]string{"accept", "decline", "cancel", "roots", "reply", "forward", "fail"}

// defaultRefusal is what a `fail` says that says nothing.
const defaultRefusal = "refused by a rule"

// action checks the one action of a rule; nil with a problem.
func (c *compiler) action(spec *Spec, r *Rule) Action {
	switch args := spec.Args; spec.Action {
	case "":
		c.report("", "a rule needs an action: one of %s", strings.Join(c.allVerbs(), ", "))
		return nil
	case "accept":
		return c.accept(args, r)
	case "decline":
		c.nothing("decline", args)
		return &Decline{}
	case "cancel":
		c.nothing("cancel", args)
		return &Cancel{}
	case "roots":
		return c.roots(args)
	case "reply":
		return c.reply(args)
	case "forward":
		return c.forward(args)
	case "fail":
		return c.fail(args)
	default:
		return c.extraAction(spec)
	}
}

func (c *compiler) allVerbs() []string {
	return append(verbs[:], slices.Sorted(maps.Keys(c.extra))...)
}

func (c *compiler) extraAction(spec *Spec) Action {
	parse, ok := c.extra[spec.Action]
	if !ok {
		c.report(spec.Action, "unknown action: a rule has one of %s", strings.Join(c.allVerbs(), ", "))
		return nil
	}
	parsed, problems := parse(spec.Args)
	for _, p := range problems {
		field := spec.Action
		if p.Field != "" && p.Field[0] != '[' {
			field += "."
		}
		c.report(field+p.Field, "%s", p.Message)
	}
	return &Extra{Name: spec.Action, Parsed: parsed}
}

func (c *compiler) roots(args json.RawMessage) Action {
	for i, item := range c.items("roots", args) {
		c.root(index("roots", i), item)
	}
	return &Roots{List: args}
}

// root checks one root (MCP: Roots).
func (c *compiler) root(field string, item []byte) {
	hasURI := false
	c.members(field, item, func(key string, value []byte) bool {
		switch key {
		case "uri":
			hasURI = true
			if uri, ok := c.text(field+".uri", value); ok && !strings.HasPrefix(uri, "file://") {
				c.report(field+".uri", "must begin with file://")
			}
		case "name":
			c.text(field+".name", value)
		default:
			return false
		}
		return true
	})
	if !hasURI {
		c.report(field, "a root needs a uri")
	}
}

func (c *compiler) reply(args json.RawMessage) Action {
	a := &Reply{Model: DefaultModel}
	said := false
	c.members("reply", args, func(key string, value []byte) bool {
		switch key {
		case "text":
			said = true
			a.Text, _ = c.text("reply.text", value)
		case "model":
			if model, ok := c.text("reply.model", value); ok && model != "" {
				a.Model = model
			}
		default:
			return false
		}
		return true
	})
	if !said {
		c.report("reply", "needs a text")
	}
	return a
}

func (c *compiler) forward(args json.RawMessage) Action {
	a := &Forward{}
	c.members("forward", args, func(key string, value []byte) bool {
		if key != "timeout" {
			return false
		}
		a.Timeout = c.duration("forward.timeout", value)
		return true
	})
	return a
}

func (c *compiler) fail(args json.RawMessage) Action {
	a := &Fail{Message: defaultRefusal}
	c.members("fail", args, func(key string, value []byte) bool {
		if key != "message" {
			return false
		}
		if message, ok := c.text("fail.message", value); ok && message != "" {
			a.Message = message
		}
		return true
	})
	return a
}
