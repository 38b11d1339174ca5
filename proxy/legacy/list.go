package legacy

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

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
