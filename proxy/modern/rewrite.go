package modern

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// object is a JSON object under way; the zero value is empty.
type object struct{ body []byte }

// add puts a member, with a raw value, to the end.
func (o *object) add(name string, value []byte) { o.put(wire.AppendQuoted(nil, name), value) }

// put is add for a name that is raw too.
func (o *object) put(name, value []byte) {
	o.body = append(append(o.body, ','), name...)
	o.body = append(append(o.body, ':'), value...)
}

// bytes is the object; nothing may be added any more.
func (o *object) bytes() []byte {
	if len(o.body) == 0 {
		return []byte("{}")
	}
	o.body[0] = '{'
	return append(o.body, '}')
}

// rewrite copies an object member by member. What f gives takes the place of a value;
// nil leaves the member out.
func rewrite(raw []byte, f func(name string, value []byte) []byte) []byte {
	var o object
	wire.Members(raw, func(name, value []byte) {
		key, _ := wire.Unquote(name)
		if value = f(key, value); value != nil {
			o.put(name, value)
		}
	})
	return o.bytes()
}

// without copies an object but for one member.
func without(raw []byte, unwanted string) []byte {
	return rewrite(raw, func(name string, value []byte) []byte {
		if name == unwanted {
			return nil
		}
		return value
	})
}
