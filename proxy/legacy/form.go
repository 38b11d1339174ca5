package legacy

import (
	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// emptySchema is the form of a question without one.
const emptySchema = `{"type":"object","properties":{}}`

// downgradeForm fills in a missing schema. For 2025-06-18 it takes out the mode, since
// there are only forms, and puts the schema in that revision's words.
func downgradeForm(params []byte, version wire.Version) ([]byte, error) {
	if version >= wire.V20251125 && wire.Get(params, "requestedSchema") != nil {
		return params, nil
	}
	var out wire.Object
	var err error
	filled := false
	_ = wire.Each(params, func(key string, value []byte) error {
		switch {
		case key == "mode" && version < wire.V20251125:
			return nil
		case key == "requestedSchema":
			filled = true
			if version < wire.V20251125 {
				value, err = downgradeSchema(value)
			}
		}
		out.Add(key, value)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !filled {
		out.Add("requestedSchema", []byte(emptySchema))
	}
	return out.End(), nil
}

// downgradeSchema puts a form's schema in the words of 2025-06-18: no $schema, titled
// choices as enum and enumNames, and no choice of several.
func downgradeSchema(schema []byte) ([]byte, error) {
	var err error
	out := wire.Rewrite(schema, func(key string, value []byte) []byte {
		switch key {
		case "$schema":
			return nil
		case "properties":
			return wire.Rewrite(value, func(name string, property []byte) []byte {
				if isArray(property) && err == nil {
					err = &answer.Inexpressible{Why: "its revision of the protocol has no form in which several values can be chosen (field " + wire.Clean(name, 100) + ")"}
				}
				return downgradeField(property)
			})
		}
		return value
	})
	return out, err
}

func isArray(property []byte) bool {
	kind, _ := wire.Unquote(wire.Get(property, "type"))
	return kind == "array"
}

// downgradeField turns titled choices into enum and enumNames. What is not wholly made
// of titled constants stays as it is.
func downgradeField(property []byte) []byte {
	choices := wire.Get(property, "oneOf")
	if choices == nil || wire.Get(property, "enum") != nil {
		return property
	}
	var values, names list
	whole := true
	items(choices, func(choice []byte) {
		value, name := wire.Get(choice, "const"), wire.Get(choice, "title")
		if value == nil {
			whole = false
			return
		}
		if name == nil {
			name = value
		}
		values.add(value)
		names.add(name)
	})
	if !whole || len(values) == 0 {
		return property
	}
	var out wire.Object
	err := wire.Each(property, func(key string, value []byte) error {
		if key != "oneOf" {
			out.Add(key, value)
		}
		return nil
	})
	if err != nil {
		return property
	}
	out.Add("enum", values.end())
	out.Add("enumNames", names.end())
	return out.End()
}
