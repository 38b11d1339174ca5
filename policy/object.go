package policy

import (
	"errors"
	"reflect"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// object is a JSON object as a CEL map, in the order it was written; its members are cut out when it is
// first looked into. raw is nil or null for an empty one, and has no repeated members.
type object struct {
	raw   []byte
	depth int

	read    bool
	keys    []string
	members map[string]*node
}

func (o *object) load() {
	if o.read {
		return
	}
	o.read = true
	o.members = map[string]*node{}
	_ = wire.Each(o.raw, func(key string, value []byte) error {
		o.keys = append(o.keys, key)
		o.members[key] = &node{raw: value, depth: o.depth + 1}
		return nil
	})
}

// find gives a member, nil when there is none.
func (o *object) find(key string) *node {
	o.load()
	return o.members[key]
}

// Find gives a member's value, as [traits.Mapper] asks for.
func (o *object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	n := o.find(string(name))
	if n == nil {
		return nil, false
	}
	return n.value(), true
}

// Get is Find with an error.
func (o *object) Get(key ref.Val) ref.Val {
	v, found := o.Find(key)
	if !found {
		return types.NewErr("no such key: %v", key)
	}
	return v
}

// Contains reports whether there is such a member.
func (o *object) Contains(key ref.Val) ref.Val {
	_, found := o.Find(key)
	return types.Bool(found)
}

// Size is the number of members.
func (o *object) Size() ref.Val {
	o.load()
	return types.Int(len(o.keys))
}

// Iterator walks the names in the order they were written.
func (o *object) Iterator() traits.Iterator {
	o.load()
	return types.NewStringList(types.DefaultTypeAdapter, o.keys).Iterator()
}

// Equal compares with any map.
func (o *object) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Mapper)
	if !ok || m.Size().Equal(o.Size()) != types.True {
		return types.False
	}
	for _, key := range o.keys {
		v, found := m.Find(types.String(key))
		if !found {
			return types.False
		}
		if eq := types.Equal(o.members[key].value(), v); eq != types.True {
			return eq
		}
	}
	return types.True
}

// ConvertToNative always fails: nothing asks for it.
func (o *object) ConvertToNative(reflect.Type) (any, error) {
	return nil, errors.New("a map has no other form")
}

// ConvertToType knows maps and types.
func (o *object) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from map to %s", t.TypeName())
}

// Type is map.
func (o *object) Type() ref.Type { return types.MapType }

// Value gives the object itself.
func (o *object) Value() any { return o }
