package answer

import (
	"encoding/json"
	"slices"
)

// choices are the values that an enum lets through, titled or not (MCP, Elicitation: "Enum Schema"). Finding one takes the
// same time however many there are: a client's list may be long too.
type choices struct {
	scalars map[scalar]bool
	others  []any
}

// scalar is a value that holds no other, numbers in one spelling.
type scalar struct {
	kind byte
	text string
}

func scalarOf(v any) (scalar, bool) {
	switch v := v.(type) {
	case nil:
		return scalar{kind: '0'}, true
	case bool:
		if v {
			return scalar{kind: 't'}, true
		}
		return scalar{kind: 'f'}, true
	case string:
		return scalar{'"', v}, true
	case json.Number:
		if r := exactly(v); r != nil {
			return scalar{'1', r.RatString()}, true
		}
	}
	return scalar{}, false
}

func (c *choices) add(v any) {
	if s, ok := scalarOf(v); ok {
		c.scalars[s] = true
		return
	}
	c.others = append(c.others, v)
}

func (c *choices) have(v any) bool {
	if s, ok := scalarOf(v); ok {
		return c.scalars[s]
	}
	return slices.ContainsFunc(c.others, func(other any) bool { return same(other, v) })
}

// takeChoices takes one keyword out of a plain schema that lists values; nil when there is none.
func takeChoices(schema map[string]any) *choices {
	for _, keyword := range []string{"enum", "const", "oneOf", "anyOf"} {
		v, ok := schema[keyword]
		if !ok {
			continue
		}
		var c *choices
		switch keyword {
		case "enum":
			c = choicesOf(v.([]any))
		case "const":
			c = choicesOf([]any{v})
		default:
			c = titledChoices(v.([]any), keyword == "oneOf")
		}
		if c != nil {
			delete(schema, keyword)
			return c
		}
	}
	return nil
}

func choicesOf(list []any) *choices {
	c := &choices{scalars: make(map[scalar]bool, len(list))}
	for _, v := range list {
		c.add(v)
	}
	return c
}

// titledChoices reads a list of schemas that are nothing but a const; nil when it is more than that, or when one stands
// twice where that means none.
func titledChoices(list []any, once bool) *choices {
	c := choicesOf(nil)
	for _, v := range list {
		schema, _ := v.(map[string]any)
		only, ok := schema["const"]
		if !ok || len(schema) != 1 || once && c.have(only) {
			return nil
		}
		c.add(only)
	}
	return c
}
