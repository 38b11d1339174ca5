package explain

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
)

// sameJSON compares valid JSON by value: members in any order, numbers as numbers, to the last digit.
func sameJSON(a, b []byte) bool { return reflect.DeepEqual(decoded(a), decoded(b)) }

func decoded(raw []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v)
	return plainNumbers(v)
}

// plainNumbers gives numbers one spelling, but for those with an exponent, which stay as they are.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if strings.ContainsAny(string(v), "eE") {
			return v // nine digits of exponent are nine digits of memory
		}
		if r, ok := new(big.Rat).SetString(string(v)); ok {
			return json.Number(r.RatString())
		}
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = plainNumbers(v[k])
		}
	}
	return v
}
