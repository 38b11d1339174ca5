package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// maxComputed bounds the JSON of a computed value, in bytes.
const maxComputed = 1 << 20

var errTooLarge = errors.New("gives a value that is too large")

// appendJSON writes the result of an expression. What comes out of arguments or params untouched keeps
// its bytes.
func appendJSON(dst []byte, v ref.Val) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case *opaque:
		dst = append(dst, v.raw...)
	case *list:
		dst = append(dst, v.raw...)
	case types.String:
		dst = wire.AppendQuoted(dst, string(v))
	case types.Bool:
		dst = strconv.AppendBool(dst, bool(v))
	case types.Int:
		dst = strconv.AppendInt(dst, int64(v), 10)
	case types.Uint:
		dst = strconv.AppendUint(dst, uint64(v), 10)
	case types.Double:
		dst, err = appendDouble(dst, float64(v))
	case traits.Lister:
		dst, err = appendList(dst, v)
	default:
		return nil, fmt.Errorf("gives %s, want %s", v.Type().TypeName(), jsonValues.want)
	}
	if err == nil && len(dst) > maxComputed {
		err = errTooLarge
	}
	return dst, err
}

func appendDouble(dst []byte, f float64) ([]byte, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errors.New("gives a number that JSON does not have")
	}
	text, err := json.Marshal(f)
	return append(dst, text...), err
}

func appendList(dst []byte, l traits.Lister) ([]byte, error) {
	dst = append(dst, '[')
	for it, first := l.Iterator(), true; it.HasNext() == types.True; first = false {
		if !first {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendJSON(dst, it.Next()); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}
