package answer

import (
	"errors"
	"slices"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// A check has a bound: at worst the schema library looks at every part of the form for every value.
const (
	maxContentBytes = 1 << 20
	maxValues       = 1 << 20
	maxWork         = 1 << 22
)

var errTooMany = errors.New("the content has more values than can be checked")

// check says, without values, why content does not fit the form; nil when it does. Nothing is coerced.
func (f *form) check(content []byte) error {
	if len(content) > maxContentBytes {
		return errors.New("the content is too long")
	}
	// A name that stands twice would be one value here and another one at the server.
	if err := wire.ValidateStrict(content); err != nil {
		return errors.New("the content is not unambiguous JSON")
	}
	decoded, err := decode(content)
	if err != nil {
		return errors.New("the content is not unambiguous JSON, or nested too deeply")
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return errors.New("the content is no object")
	}
	for _, name := range f.required {
		if _, ok := object[name]; !ok {
			return fieldError(name, "is missing")
		}
	}
	values := size(object, fraction)
	if values > maxValues {
		return errTooMany
	}
	if !f.types.fit(object) {
		if values*f.weight > maxWork {
			return errTooMany
		}
		if err := f.validate(object); err != nil {
			return err
		}
	}
	for name, fd := range f.fields {
		v, ok := object[name]
		if !ok {
			continue
		}
		if p := fd.problem(v); p != "" {
			return fieldError(name, p)
		}
	}
	return nil
}

// fraction is what a number that is no plain integer costs, in other values: it is taken exactly.
const fraction = 32

// validate has the library check a content.
func (f *form) validate(object map[string]any) error {
	native, ok := natives(object)
	if !ok {
		return errors.New("a number is out of bounds")
	}
	values := native.(map[string]any)
	if f.schema.Validate(values) != nil {
		return f.misfit(values)
	}
	return nil
}

func (f *field) problem(v any) string {
	if p := f.own.problem(v); p != "" {
		return p
	}
	list, _ := v.([]any)
	for _, item := range list {
		if p := f.items.problem(item); p != "" {
			return "has an item that " + p
		}
	}
	return ""
}

// misfit finds the field by which values do not fit.
func (f *form) misfit(values map[string]any) error {
	var names []string
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if s, err := resolve(f.properties[name]); err == nil && f.properties[name] != nil && s.Validate(values[name]) != nil {
			return fieldError(name, "is not what was asked for")
		}
	}
	return errors.New("the content does not fit the form")
}

func fieldError(name, problem string) error {
	return errors.New("the field " + wire.Clean(name, maxPeerText) + " " + problem)
}

// maxPeerText bounds, in characters, what a peer wrote and people read.
const maxPeerText = 100
