package config

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"
)

// json gives a value of a rule as JSON. Nothing goes through a number, a time or a map: members keep their order, a plain
// scalar that JSON can write as a number keeps its digits, and every other one (0777, 0x1F, 2026-01-01, yes) is the text
// that was written. ok is false when there is a problem, which has been noted.
func (v value) json() (raw json.RawMessage, ok bool) {
	before := len(v.r.problems)
	raw = v.appendJSON(nil)
	return raw, len(v.r.problems) == before
}

func (v value) appendJSON(dst []byte) []byte {
	switch v.node.Kind {
	case yaml.MappingNode:
		entries, _ := v.mapping()
		dst = append(dst, '{')
		for i, e := range entries {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, e.key), ':')
			dst = e.value.appendJSON(dst)
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		items, _ := v.list()
		dst = append(dst, '[')
		for i, item := range items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	default:
		return v.appendScalar(dst)
	}
}

func (v value) appendScalar(dst []byte) []byte {
	if v.isNull() {
		return append(dst, "null"...)
	}
	text, ok := v.text("a value")
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	tag := v.node.Tag
	explicit := v.node.Style&yaml.TaggedStyle != 0
	switch {
	case !ok:
		return append(dst, "null"...)
	case explicit:
		return v.appendTagged(dst, tag, text)
	case v.node.Style&quoted != 0:
		return appendText(dst, text)
	case tag == "!!bool":
		return append(dst, strings.ToLower(text)...)
	case number.MatchString(text):
		return append(dst, text...)
	}
	return appendText(dst, text)
}

// appendTagged appends a scalar that says itself what it is.
func (v value) appendTagged(dst []byte, tag, text string) []byte {
	switch {
	case tag == "!!str":
		return appendText(dst, text)
	case tag == "!!bool" && (text == "true" || text == "false"):
		return append(dst, text...)
	case (tag == "!!int" || tag == "!!float") && number.MatchString(text):
		return append(dst, text...)
	case tag == "!!bool" || tag == "!!int" || tag == "!!float":
		v.fail("is no %s that JSON can write", tag)
	default:
		v.fail("has the tag %s, which is not supported", tag)
	}
	return append(dst, "null"...)
}

// number is how JSON writes one (RFC 8259, section 6).
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func appendText(dst []byte, s string) []byte {
	b := bytes.NewBuffer(dst)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can be
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
