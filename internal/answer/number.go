package answer

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Numbers beyond these are refused: nothing checks them reliably, and an exponent of nine digits costs nine digits of memory.
const (
	maxNumberBytes    = 1 << 10
	maxNumberExponent = 400
)

// exactly gives the value of a JSON number, nil when it is out of the range above.
func exactly(literal json.Number) *big.Rat {
	s := string(literal)
	if len(s) > maxNumberBytes {
		return nil
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		if e, err := strconv.Atoi(s[i+1:]); err != nil || e > maxNumberExponent || e < -maxNumberExponent {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	if f, _ := r.Float64(); math.IsInf(f, 0) {
		return nil
	}
	return r
}

// native gives the Go number that the schema library computes with: an integer where that is exact. What is no integer
// never becomes one by rounding, as long as floats of its size have fractions at all. nil: out of range.
func native(literal json.Number) any {
	if i, err := strconv.ParseInt(string(literal), 10, 64); err == nil {
		return i
	}
	r := exactly(literal)
	if r == nil {
		return nil
	}
	if r.IsInt() {
		switch n := r.Num(); {
		case n.IsInt64():
			return n.Int64()
		case n.IsUint64():
			return n.Uint64()
		}
	}
	f, _ := r.Float64()
	if !r.IsInt() && f == math.Trunc(f) {
		away := math.Inf(1)
		if r.Cmp(new(big.Rat).SetFloat64(f)) < 0 {
			away = math.Inf(-1)
		}
		return math.Nextafter(f, away)
	}
	return f
}

// natives turns the numbers of a decoded value into the library's. ok is false when one is out of range.
func natives(v any) (out any, ok bool) {
	switch v := v.(type) {
	case json.Number:
		n := native(v)
		return n, n != nil
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], ok = natives(v[i]); !ok {
				return nil, false
			}
		}
		return list, true
	case map[string]any:
		object := make(map[string]any, len(v))
		for k := range v {
			if object[k], ok = natives(v[k]); !ok {
				return nil, false
			}
		}
		return object, true
	}
	return v, true
}

// same compares decoded values as JSON Schema does: numbers by value, to the last digit.
func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		n, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, y := exactly(a), exactly(n)
		return x != nil && y != nil && x.Cmp(y) == 0
	case []any:
		list, ok := b.([]any)
		if !ok || len(a) != len(list) {
			return false
		}
		for i := range a {
			if !same(a[i], list[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		object, ok := b.(map[string]any)
		if !ok || len(a) != len(object) {
			return false
		}
		for k, v := range a {
			w, ok := object[k]
			if !ok || !same(v, w) {
				return false
			}
		}
		return true
	}
	return a == b
}
