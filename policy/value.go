package policy

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// node is a JSON value that becomes a CEL value when an expression first reaches it. Its raw bytes are
// valid JSON and stay at hand, so that what passes through an expression untouched keeps them.
type node struct {
	raw   []byte
	depth int
	val   ref.Val
}

// maxNesting bounds how deep expressions look into a value: each level is one more pass over its bytes.
const maxNesting = 32

func (n *node) value() ref.Val {
	if n.val == nil {
		n.val = n.convert()
	}
	return n.val
}

func (n *node) convert() ref.Val {
	kind := wire.KindOf(n.raw)
	if n.depth > maxNesting && (kind == '{' || kind == '[') {
		return &opaque{n.raw}
	}
	switch kind {
	case '{':
		return &object{raw: n.raw, depth: n.depth}
	case '[':
		return newList(n.raw, n.depth)
	case '"':
		s, _ := wire.Unquote(n.raw)
		return types.String(s)
	case 't':
		return types.Bool(n.raw[0] == 't')
	case 'n':
		return types.NullValue
	default:
		return number(n.raw)
	}
}

// number keeps integers exact: those of 64 bits are int or uint, larger ones are opaque, and only what
// is written with a fraction or an exponent is a double.
func number(raw []byte) ref.Val {
	if bytes.ContainsAny(raw, ".eE") {
		if f, err := strconv.ParseFloat(string(raw), 64); err == nil {
			return types.Double(f)
		}
		return &opaque{raw}
	}
	if i, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return types.Int(i)
	}
	if u, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return types.Uint(u)
	}
	return &opaque{raw}
}

// nodes lets CEL's own containers hold nodes.
type nodes struct{}

// NativeToValue converts a node where it is reached.
func (nodes) NativeToValue(v any) ref.Val {
	if n, ok := v.(*node); ok {
		return n.value()
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// opaque is a value CEL has no type for: a number beyond 64 bits, nesting beyond maxNesting. It can be
// passed on, is equal to the same bytes only, and fails every other operation.
type opaque struct{ raw []byte }

var opaqueType = types.NewOpaqueType("mrtr.Opaque")

// ConvertToNative always fails.
func (o *opaque) ConvertToNative(reflect.Type) (any, error) {
	return nil, fmt.Errorf("a value beyond the range of expressions")
}

// ConvertToType knows the type's own name only.
func (o *opaque) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType {
		return opaqueType
	}
	return types.NewErr("a value beyond the range of expressions")
}

// Equal holds for the same bytes.
func (o *opaque) Equal(other ref.Val) ref.Val {
	p, ok := other.(*opaque)
	return types.Bool(ok && bytes.Equal(o.raw, p.raw))
}

// Type is a type of its own.
func (o *opaque) Type() ref.Type { return opaqueType }

// Value gives the bytes.
func (o *opaque) Value() any { return o.raw }

// list is a JSON array.
type list struct {
	traits.Lister
	raw []byte
}

func newList(raw []byte, depth int) ref.Val {
	items, err := elements(raw)
	if err != nil {
		return &opaque{raw}
	}
	held := make([]*node, len(items))
	for i, item := range items {
		held[i] = &node{raw: item, depth: depth + 1}
	}
	return &list{types.NewDynamicList(nodes{}, held), raw}
}
