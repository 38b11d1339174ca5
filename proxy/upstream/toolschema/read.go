package toolschema

import (
	"errors"
	"fmt"
	"net/textproto"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Prefix starts the name of every header that an argument is mirrored in.
const Prefix = "Mcp-Param-"

const (
	// maxBytes is the size of an annotated inputSchema above which nobody looks for what is wrong with it.
	maxBytes = 1 << 20
	// maxDepth is how deep schemas may be nested around an annotation.
	maxDepth = 32
)

// Headers are the arguments of one tool that are mirrored in headers. It is immutable, and nil for a tool without any.
type Headers struct {
	root property
	size int
}

// property is what is known of a property of the arguments: it is mirrored itself, or something in it is.
type property struct {
	header string               // canonical name; "" is none
	inner  map[string]*property // nil is none
}

// Size is about how many bytes of memory the names take.
func (h *Headers) Size() int {
	if h == nil {
		return 0
	}
	return h.size
}

// Read looks for the annotations of a tool, given as raw and valid JSON. It is nil without any. An error tells in a few
// words, fit for the log, why the tool must not be shown to anybody (Tools, x-mcp-header: constraints).
func Read(tool []byte) (*Headers, error) {
	schema := wire.Get(tool, "inputSchema")
	if !Marked(schema) {
		return nil, nil
	}
	if len(schema) > maxBytes {
		return nil, errors.New("its inputSchema is too large to be judged")
	}
	r := reader{names: map[string]bool{}}
	root, err := r.schema(schema, atRoot, 0)
	if fault := (*wire.Error)(nil); errors.As(err, &fault) {
		return nil, errors.New("its inputSchema has a member twice")
	}
	if err != nil || len(r.names) == 0 {
		return nil, err
	}
	return &Headers{root: *root, size: r.size}, nil
}

// position is where in a schema another one is.
type position uint8

const (
	atRoot     position = iota
	atProperty          // reached from the root through nothing but properties
	elsewhere
)

// form is in which way the value of a keyword holds schemas.
type form uint8

const (
	single form = iota + 1 // a schema, or a list of them
	named                  // schemas by name
)

// holders are the keywords beside properties that hold schemas (JSON Schema, Core and Applicator vocabularies of all
// drafts). What other keywords hold is data, in which an annotation's name means nothing.
var holders = map[string]form{
	"items": single, "prefixItems": single, "additionalItems": single, "unevaluatedItems": single, "contains": single,
	"additionalProperties": single, "unevaluatedProperties": single, "propertyNames": single, "contentSchema": single,
	"allOf": single, "anyOf": single, "oneOf": single, "not": single, "if": single, "then": single, "else": single,
	"patternProperties": named, "dependentSchemas": named, "dependencies": named, "$defs": named, "definitions": named,
}

// reader reads one tool.
type reader struct {
	names map[string]bool // in lower case
	size  int
}

// schema reads a schema and all within it. The property is nil when there is nothing to mirror; the root always has one.
func (r *reader) schema(raw []byte, at position, depth int) (*property, error) {
	if wire.KindOf(raw) != '{' || !Marked(raw) {
		return nil, nil
	}
	if depth > maxDepth {
		return nil, errors.New("its inputSchema is nested too deeply to be judged")
	}
	p := &property{}
	var mark, kind []byte
	err := wire.Each(raw, func(key string, value []byte) error {
		switch key {
		case keyword:
			mark = value
		case "type":
			kind = value
		case "properties":
			return r.properties(p, value, at, depth)
		}
		switch holders[key] {
		case single:
			return r.others(value, depth)
		case named:
			return r.namedOthers(value, depth)
		}
		return nil
	})
	if err == nil && mark != nil {
		p.header, err = r.annotation(mark, kind, at)
	}
	if err != nil || p.header == "" && p.inner == nil && at != atRoot {
		return nil, err
	}
	return p, nil
}

func (r *reader) properties(of *property, raw []byte, at position, depth int) error {
	if at == elsewhere {
		return r.namedOthers(raw, depth)
	}
	if wire.KindOf(raw) != '{' {
		return nil
	}
	return wire.Each(raw, func(name string, value []byte) error {
		p, err := r.schema(value, atProperty, depth+1)
		if err != nil || p == nil {
			return err
		}
		if of.inner == nil {
			of.inner = map[string]*property{}
		}
		of.inner[name] = p
		r.size += len(name) + propertySize
		return nil
	})
}

// propertySize is about what a property takes beside its names.
const propertySize = 100

// others reads a schema, or a list of them, that no argument's path leads through.
func (r *reader) others(raw []byte, depth int) error {
	if wire.KindOf(raw) == '[' {
		return wire.Items(raw, func(item []byte) error { return r.other(item, depth) })
	}
	return r.other(raw, depth)
}

func (r *reader) namedOthers(raw []byte, depth int) error {
	if wire.KindOf(raw) != '{' {
		return nil
	}
	return wire.Each(raw, func(_ string, value []byte) error { return r.other(value, depth) })
}

func (r *reader) other(raw []byte, depth int) error {
	_, err := r.schema(raw, elsewhere, depth+1)
	return err
}

// annotation judges one and gives the name of its header.
func (r *reader) annotation(mark, kind []byte, at position) (string, error) {
	name, ok := wire.Unquote(mark)
	shown := wire.Clean(name, 60)
	switch lower := strings.ToLower(name); {
	case !ok:
		return "", errors.New(keyword + " is no string")
	case name == "":
		return "", errors.New(keyword + " is empty")
	case !isToken(name):
		return "", fmt.Errorf("%s %q is no name of a header", keyword, shown)
	case at != atProperty:
		return "", fmt.Errorf("%s %q is where no plain property is", keyword, shown)
	case !isPrimitive(kind):
		return "", fmt.Errorf("%s %q is on what is neither a string nor an integer nor a boolean", keyword, shown)
	case r.names[lower]:
		return "", fmt.Errorf("%s %q is there twice", keyword, shown)
	default:
		r.names[lower] = true
		r.size += len(name)
	}
	return textproto.CanonicalMIMEHeaderKey(Prefix + name), nil
}

// isToken tells the name of a field (RFC 9110, 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9':
		case strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}

// isPrimitive tells from a schema's type that values can be mirrored. A type that may also be null is one: no header stands
// for null.
func isPrimitive(kind []byte) bool {
	if wire.KindOf(kind) != '[' {
		return primitive(kind)
	}
	values := 0
	err := wire.Items(kind, func(item []byte) error {
		switch name, _ := wire.Unquote(item); {
		case primitive(item):
			values++
		case name != "null":
			return errors.New("no primitive type")
		}
		return nil
	})
	return err == nil && values > 0
}

func primitive(kind []byte) bool {
	name, _ := wire.Unquote(kind)
	return name == "string" || name == "integer" || name == "boolean"
}
