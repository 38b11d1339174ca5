package modern

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// digest stands for a request: equal digests mean the same method and params, however
// they are spelled.
type digest [sha256.Size]byte

// digestOf digests a method with its params, but for what differs between a request and
// its retry (Multi Round-Trip Requests, Server Requirements: an identifier for the
// originating request).
func digestOf(method string, params []byte) (d digest) {
	c := canon{sha256.New()}
	c.text('m', method)
	c.object(params, "_meta", "inputResponses", "requestState")
	c.Sum(d[:0])
	return d
}

// canon hashes JSON values in one form: members sorted, numbers as they are written,
// strings without their escapes, no white space. Every part has its kind and length in
// front, so that no two values have the same form.
type canon struct{ hash.Hash }

func (c canon) text(kind byte, s string) {
	b := binary.AppendUvarint([]byte{kind}, uint64(len(s)))
	c.Write(b)
	c.Write([]byte(s))
}

func (c canon) count(kind byte, n int) {
	c.Write(binary.AppendUvarint([]byte{kind}, uint64(n)))
}

func (c canon) value(raw []byte) {
	raw = bytes.TrimSpace(raw)
	switch wire.KindOf(raw) {
	case '{':
		c.object(raw)
	case '[':
		var items [][]byte
		_ = wire.Items(raw, func(v []byte) error {
			items = append(items, v)
			return nil
		})
		c.count('[', len(items))
		for _, v := range items {
			c.value(v)
		}
	case '"':
		c.string('"', raw)
	default:
		c.text('0', string(raw))
	}
}

// string takes a lone surrogate, which no string can hold, as it is written.
func (c canon) string(kind byte, raw []byte) {
	if s, ok := wire.Unquote(raw); ok && !strings.ContainsRune(s, utf8.RuneError) {
		c.text(kind, s)
		return
	}
	c.text('\\', string(raw))
}

type nameAndValue struct {
	name  string
	value []byte
}

func (c canon) object(raw []byte, leaveOut ...string) {
	var members []nameAndValue
	err := wire.Each(raw, func(name string, value []byte) error {
		if !slices.Contains(leaveOut, name) {
			members = append(members, nameAndValue{name, value})
		}
		return nil
	})
	if err != nil { // a member is there twice: only the very same spelling is the same
		c.text('!', string(raw))
		return
	}
	slices.SortFunc(members, func(a, b nameAndValue) int { return strings.Compare(a.name, b.name) })
	c.count('{', len(members))
	for _, m := range members {
		c.text(':', m.name)
		c.value(m.value)
	}
}
