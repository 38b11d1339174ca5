package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// A form is flat (MCP, Elicitation: "Requested Schema"): an object, its properties, the items of one, the choices of those.
const (
	maxSchemaBytes = 64 << 10
	maxSchemaDepth = 4
)

// form is a requestedSchema that contents can be checked against.
type form struct {
	schema   *jsonschema.Resolved
	required []string
	// properties are the schemas as the library has them, to tell which field a content fails by.
	properties map[string]any
	// fields holds what is checked here, to the last digit, and left out of the library's schema.
	fields map[string]field
	// weight is the number of values in the library's schema.
	weight int
	// types spares simple forms the library.
	types fieldTypes
}

// field is what is checked here of one property.
type field struct{ own, items constraints }

// compile reads a requestedSchema; nil and null are the empty form. It refuses what is not flat before the schema library
// sees it, where a recursive reference would overflow the stack, and leaves out what only annotates. The errors hold the
// server's own names.
func compile(raw []byte) (*form, error) {
	if len(raw) == 0 || wire.KindOf(raw) == 'n' {
		raw = []byte(`{}`)
	}
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("it has %d bytes, more than %d", len(raw), maxSchemaBytes)
	}
	if err := wire.ValidateStrict(raw); err != nil {
		return nil, err
	}
	decoded, err := decode(raw)
	if err != nil {
		return nil, err
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	if t, ok := object["type"]; ok && t != "object" {
		return nil, errors.New(`its type is not "object"`)
	}
	plain, err := plainObject(object, 1)
	if err != nil {
		return nil, err
	}
	f := &form{fields: map[string]field{}}
	f.properties, _ = plain["properties"].(map[string]any)
	for name, property := range f.properties {
		f.fields[name] = takeField(property)
	}
	if list, ok := plain["required"].([]any); ok {
		for _, name := range list {
			f.required = append(f.required, name.(string))
		}
	}
	f.weight, f.types = size(plain, 1), typesOf(plain)
	f.schema, err = resolve(plain)
	return f, err
}

// resolve hands a plain schema to the library.
func resolve(plain any) (*jsonschema.Resolved, error) {
	raw, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	return s.Resolve(nil)
}

// size counts the values in a decoded value, itself included. A number that is no plain integer counts as so many.
func size(v any, fraction int) int {
	n := 1
	switch v := v.(type) {
	case json.Number:
		if len(v) > 18 || strings.ContainsAny(string(v), ".eE") {
			return fraction
		}
	case []any:
		for i := range v {
			n += size(v[i], fraction)
		}
	case map[string]any:
		for _, member := range v {
			n += size(member, fraction)
		}
	}
	return n
}

// maxNesting is how deeply what is decoded may be nested. A form is flat; what is left out of it need not be.
const maxNesting = 64

var errAmbiguous = errors.New("it is not unambiguous JSON")

// decode reads valid JSON and keeps the digits of its numbers. Names that only differ by halves of surrogate pairs are one
// name in Go, and so an error.
func decode(raw []byte) (any, error) { return decodeWithin(raw, maxNesting) }

func decodeWithin(raw []byte, depth int) (any, error) {
	if depth < 0 {
		return nil, errors.New("it is nested too deeply")
	}
	raw = bytes.TrimSpace(raw)
	switch wire.KindOf(raw) {
	case '{':
		object := map[string]any{}
		return object, wire.Each(raw, func(name string, v []byte) (err error) {
			object[name], err = decodeWithin(v, depth-1)
			return err
		})
	case '[':
		list := []any{}
		err := wire.Items(raw, func(v []byte) error {
			item, err := decodeWithin(v, depth-1)
			list = append(list, item)
			return err
		})
		return list, err
	case '"':
		s, ok := wire.Unquote(raw)
		if !ok {
			return nil, errAmbiguous
		}
		return s, nil
	case 't':
		return raw[0] == 't', nil
	case '0':
		return json.Number(raw), nil
	}
	return nil, nil
}
