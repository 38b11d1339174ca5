package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
)

// plainSchema copies a schema with nothing in it but well-formed keywords that decide.
func plainSchema(v any, depth int) (any, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case map[string]any:
		return plainObject(v, depth)
	}
	return nil, errors.New("a schema is no object")
}

func plainObject(schema map[string]any, depth int) (map[string]any, error) {
	if depth > maxSchemaDepth {
		return nil, fmt.Errorf("it is nested deeper than %d", maxSchemaDepth)
	}
	plain := make(map[string]any, len(schema))
	for keyword, v := range schema {
		what := keywords[keyword]
		if what == annotation {
			continue
		}
		p, err := plainKeyword(what, v, depth)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keyword, err)
		}
		if p != nil || what == value {
			plain[keyword] = p
		}
	}
	return plain, nil
}

// plainKeyword checks and copies what stands under a keyword; nil leaves the keyword out.
func plainKeyword(what shape, v any, depth int) (any, error) {
	switch what {
	case reference:
		return nil, errors.New("a form does not refer to other schemas")
	case subschema:
		return plainSchema(v, depth+1)
	case subschemas:
		return plainList(v, func(v any) (any, error) { return plainSchema(v, depth+1) })
	case subschemaOf:
		return plainMap(v, func(v any) (any, error) { return plainSchema(v, depth+1) })
	case names:
		return plainList(v, plainName)
	case namesOf:
		return plainMap(v, func(v any) (any, error) { return plainList(v, plainName) })
	}
	return plainValue(what, v)
}

func plainValue(what shape, v any) (any, error) {
	switch what {
	case number, divisor:
		n, ok := v.(json.Number)
		if r := exactly(n); !ok || r == nil || what == divisor && r.Sign() <= 0 {
			return nil, errors.New("it is no number within bounds")
		}
	case count:
		return plainCount(v)
	case flag:
		if _, ok := v.(bool); !ok {
			return nil, errors.New("it is neither true nor false")
		}
	case pattern:
		s, ok := v.(string)
		if !ok {
			return nil, errors.New("it is no string")
		}
		// An expression that only ECMAScript has cannot be checked here; the server does that.
		if _, err := regexp.Compile(s); err != nil {
			return nil, nil
		}
	case values:
		if _, ok := v.([]any); !ok {
			return nil, errors.New("it is no array")
		}
		fallthrough
	case value:
		if _, ok := natives(v); !ok {
			return nil, errors.New("a number is out of bounds")
		}
	case types:
		return plainTypes(v)
	case format:
		return plainFormat(v), nil
	}
	return v, nil
}

// plainCount takes any spelling of a whole number; the library takes one.
func plainCount(v any) (any, error) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, errors.New("it is no number")
	}
	r := exactly(n)
	if r == nil || !r.IsInt() || r.Sign() < 0 {
		return nil, errors.New("it is no count")
	}
	if !r.Num().IsInt64() || r.Num().Int64() > math.MaxInt32 {
		return int64(math.MaxInt32), nil
	}
	return r.Num().Int64(), nil
}

func plainTypes(v any) (any, error) {
	if s, ok := v.(string); ok {
		v = []any{s}
	}
	list, err := plainList(v, plainName)
	if err != nil {
		return nil, err
	}
	for _, name := range list.([]any) {
		if !typeNames[name.(string)] {
			return nil, errors.New("it is no type of JSON Schema: " + strconv.Quote(name.(string)))
		}
	}
	return list, nil
}

// plainFormat leaves out what is no format of a form.
func plainFormat(v any) any {
	if s, ok := v.(string); ok && formats[s] != nil {
		return s
	}
	return nil
}

func plainName(v any) (any, error) {
	if _, ok := v.(string); !ok {
		return nil, errors.New("a name is no string")
	}
	return v, nil
}

func plainList(v any, each func(any) (any, error)) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, errors.New("it is no array")
	}
	plain := make([]any, len(list))
	for i := range list {
		p, err := each(list[i])
		if err != nil {
			return nil, err
		}
		plain[i] = p
	}
	return plain, nil
}

func plainMap(v any, each func(any) (any, error)) (any, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errors.New("it is no object")
	}
	plain := make(map[string]any, len(object))
	for name := range object {
		p, err := each(object[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		plain[name] = p
	}
	return plain, nil
}
