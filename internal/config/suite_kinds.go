package config

import (
	"encoding/json"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// placed is a kind that remembers where its value stands.
type placed struct {
	kind
	at *value
}

func (p placed) read(v value) {
	*p.at = v
	p.kind.read(v)
}

// object is a mapping that becomes a JSON object, its values as they were written.
type object struct{ dst *json.RawMessage }

func (object) grammar() string  { return "<object>" }
func (object) fallback() string { return "" }

func (o object) read(v value) {
	if v.node.Kind != yaml.MappingNode {
		v.fail("is %s, want a mapping", v.sort())
		return
	}
	if raw, ok := v.json(); ok {
		*o.dst = raw
	}
}

// expect notes an expected value with its place.
func expect[T any](dst *Expected[T], v value, is T) {
	*dst = Expected[T]{Value: is, Given: true, Line: v.line, Field: v.path}
}

// expectedObject is an expected JSON object.
type expectedObject struct{ dst *Expected[json.RawMessage] }

func (expectedObject) grammar() string  { return "<object>" }
func (expectedObject) fallback() string { return "" }

func (e expectedObject) read(v value) {
	var raw json.RawMessage
	object{&raw}.read(v)
	expect(e.dst, v, raw)
}

// expectedText is an expected word: one of a few, or any, then also an empty one.
type expectedText struct {
	dst   *Expected[string]
	words func(Options) []string
}

func (expectedText) grammar() string  { return "<string>" }
func (expectedText) fallback() string { return "" }

func (e expectedText) read(v value) {
	text, ok := v.text(e.grammar())
	if !ok {
		return
	}
	if e.words != nil && !slices.Contains(e.words(v.r.opts), text) {
		v.fail("%s is none of %s", quoted(text), strings.Join(e.words(v.r.opts), ", "))
	}
	expect(e.dst, v, text)
}

// expectedNames is an expected list of names.
type expectedNames struct{ dst *Expected[[]string] }

func (expectedNames) grammar() string  { return "[ <string>, ... ]" }
func (expectedNames) fallback() string { return "" }

func (e expectedNames) read(v value) {
	var names []string
	list[string]{&names, word}.read(v)
	expect(e.dst, v, names)
}
