package legacy

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// object builds a JSON object, member by member.
type object []byte

func (o *object) add(key string, value []byte) { o.put(wire.AppendQuoted(nil, key), value) }

// put adds a member whose name is raw too.
func (o *object) put(name, value []byte) {
	if len(*o) == 0 {
		*o = append(*o, '{')
	} else {
		*o = append(*o, ',')
	}
	*o = append(append(*o, name...), ':')
	*o = append(*o, value...)
}

func (o object) end() []byte {
	if len(o) == 0 {
		return []byte("{}")
	}
	return append(o, '}')
}

// rewrite copies an object: f gives the value of each member, or nil to leave it out.
// Names stay as they are written, and so does what is no object.
func rewrite(raw []byte, f func(key string, value []byte) []byte) []byte {
	if wire.KindOf(raw) != '{' {
		return raw
	}
	o := make(object, 0, len(raw))
	wire.Members(raw, func(name, value []byte) {
		key, _ := wire.Unquote(name)
		if v := f(key, value); v != nil {
			o.put(name, v)
		}
	})
	return o.end()
}

// items calls f with each item of an array; what is no array has none.
func items(raw []byte, f func(item []byte)) {
	_ = wire.Items(raw, func(item []byte) error {
		f(item)
		return nil
	})
}

// list builds a JSON array.
type list []byte

func (l *list) add(item []byte) {
	if len(*l) == 0 {
		*l = append(*l, '[')
	} else {
		*l = append(*l, ',')
	}
	*l = append(*l, item...)
}

func (l list) end() []byte {
	if len(l) == 0 {
		return []byte("[]")
	}
	return append(l, ']')
}
