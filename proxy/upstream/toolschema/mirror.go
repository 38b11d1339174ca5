package toolschema

import (
	"math"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Header is an argument as it goes into a header. The value is plain: it is not encoded yet.
type Header struct{ Name, Value string }

// Of gives the headers for the arguments of a call, raw and valid JSON. What is absent, null or neither a string nor a
// number nor a boolean has none. An object with a member twice may be read in more than one way: nothing of it is mirrored,
// and the server has to refuse it.
func (h *Headers) Of(arguments []byte) []Header {
	if h == nil {
		return nil
	}
	return h.root.mirror(nil, arguments)
}

func (p *property) mirror(found []Header, object []byte) []Header {
	if len(p.inner) == 0 || wire.KindOf(object) != '{' {
		return found
	}
	before := len(found)
	err := wire.Each(object, func(key string, value []byte) error {
		in := p.inner[key]
		if in == nil {
			return nil
		}
		if in.header != "" {
			if s, ok := text(value); ok {
				found = append(found, Header{Name: in.header, Value: s})
			}
		}
		found = in.mirror(found, value)
		return nil
	})
	if err != nil {
		return found[:before]
	}
	return found
}

// text is a value as it is written in a header (Streamable HTTP, Value Encoding: Type conversion).
func text(raw []byte) (string, bool) {
	switch wire.KindOf(raw) {
	case '"':
		return wire.Unquote(raw)
	case 't':
		return string(raw), true
	case '0':
		return decimal(string(raw)), true
	}
	return "", false
}

// maxSafe is the largest integer that a float holds exactly with all below it.
const maxSafe = 1<<53 - 1

// decimal keeps the digits of a number as they are, unless they write a safe integer in another way than as one.
func decimal(s string) string {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c != '-' || s == "-0") {
			if f, err := strconv.ParseFloat(s, 64); err == nil && f == math.Trunc(f) && math.Abs(f) <= maxSafe {
				return strconv.FormatInt(int64(f), 10)
			}
			break
		}
	}
	return s
}
