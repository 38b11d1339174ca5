package answer

import (
	"encoding/json"
	"math/big"
	"slices"
)

// constraints are the keywords of one schema that the library would compute with rounded numbers, and the formats, which it
// does not look at. The zero value holds for everything.
type constraints struct {
	integers                           bool // of numbers, only whole ones
	least, most, above, below, divisor *big.Rat
	choices                            *choices // nil: any
	format                             func(string) bool
}

// takeField takes the constraints out of a property's plain schema.
func takeField(property any) field {
	p, ok := property.(map[string]any)
	if !ok {
		return field{}
	}
	f := field{own: takeConstraints(p)}
	if items, ok := p["items"].(map[string]any); ok {
		f.items = takeConstraints(items)
	}
	return f
}

func takeConstraints(schema map[string]any) constraints {
	var c constraints
	if list, ok := schema["type"].([]any); ok {
		c.integers = slices.Contains(list, any("integer")) && !slices.Contains(list, any("number"))
	}
	for keyword, to := range map[string]**big.Rat{
		"minimum": &c.least, "maximum": &c.most, "exclusiveMinimum": &c.above, "exclusiveMaximum": &c.below, "multipleOf": &c.divisor,
	} {
		if n, ok := schema[keyword].(json.Number); ok {
			*to = exactly(n)
			delete(schema, keyword)
		}
	}
	if name, ok := schema["format"].(string); ok {
		c.format = formats[name]
	}
	c.choices = takeChoices(schema)
	return c
}

// problem says, without the value, how a decoded value breaks the constraints; "" when it does not.
func (c *constraints) problem(v any) string {
	if c.choices != nil && !c.choices.have(v) {
		return "is none of the choices"
	}
	switch v := v.(type) {
	case string:
		if c.format != nil && !c.format(v) {
			return "is not of the format asked for"
		}
	case json.Number:
		return c.numberProblem(exactly(v))
	}
	return ""
}

func (c *constraints) numberProblem(n *big.Rat) string {
	switch {
	case n == nil:
		return "is a number out of bounds"
	case c.integers && !n.IsInt():
		return "is not a whole number"
	case c.least != nil && n.Cmp(c.least) < 0, c.above != nil && n.Cmp(c.above) <= 0:
		return "is too small"
	case c.most != nil && n.Cmp(c.most) > 0, c.below != nil && n.Cmp(c.below) >= 0:
		return "is too large"
	case c.divisor != nil && !new(big.Rat).Quo(n, c.divisor).IsInt():
		return "is not a multiple of what was asked for"
	}
	return ""
}
