package wire

import "slices"

// Object is a JSON object under way; nil is an empty one.
type Object []byte

// Add puts a member, with a raw value, to the end.
func (o *Object) Add(name string, value []byte) { o.Put(AppendQuoted(nil, name), value) }

// Put is Add for a name that is raw too.
func (o *Object) Put(name, value []byte) {
	if len(*o) == 0 {
		*o = append(*o, '{')
	} else {
		*o = append(*o, ',')
	}
	*o = append(append(*o, name...), ':')
	*o = append(*o, value...)
}

// End is the object; nothing may be put to it any more.
func (o Object) End() []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	return append(o, '}')
}

// Rewrite edits a valid object: f gives the value of each member, the same slice where it
// stays, or nil to leave it out. Names stay as they are written, those that come again too.
// What needs no change is returned as it is, and so is what is no object.
func Rewrite(raw []byte, f func(name string, value []byte) []byte) []byte {
	if KindOf(raw) != '{' {
		return raw
	}
	o, changed := make(Object, 0, len(raw)), false
	Members(raw, func(name, value []byte) {
		key, _ := Unquote(name)
		v := f(key, value)
		changed = changed || len(v) != len(value) || &v[0] != &value[0]
		if v != nil {
			o.Put(name, v)
		}
	})
	if !changed {
		return raw
	}
	return o.End()
}

// Without is Rewrite that leaves some members out.
func Without(raw []byte, names ...string) []byte {
	return Rewrite(raw, func(name string, value []byte) []byte {
		if slices.Contains(names, name) {
			return nil
		}
		return value
	})
}
