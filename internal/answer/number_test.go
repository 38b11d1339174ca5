package answer

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func TestNumbersKeepWhatTheyAre(t *testing.T) {
	for literal, want := range map[string]any{
		"0": int64(0), "-0": int64(0), "8080": int64(8080), "8080.0": int64(8080), "1e3": int64(1000), "10e-1": int64(1),
		"9007199254740993":       int64(9007199254740993),
		"-9223372036854775808":   int64(math.MinInt64),
		"18446744073709551615":   uint64(math.MaxUint64),
		"18446744073709551616":   float64(1 << 64),
		"0.5":                    0.5,
		"1e-5":                   1e-5,
		"1.00000000000000000001": math.Nextafter(1, 2),
		"0.99999999999999999999": math.Nextafter(1, 0),
		"1e-399":                 math.SmallestNonzeroFloat64,
	} {
		if got := native(json.Number(literal)); got != want {
			t.Errorf("%s is %v (%T), want %v (%T)", literal, got, got, want, want)
		}
	}
}

func TestNumbersOutOfBoundsAreRefusedWithoutWork(t *testing.T) {
	for _, literal := range []string{"1e309", "-1e309", "1e400", "1e999999999", "1e-999999999", "1E+99999999999999999999", strings.Repeat("1", 1025)} {
		if exactly(json.Number(literal)) != nil || native(json.Number(literal)) != nil {
			t.Errorf("%.20s was taken", literal)
		}
	}
}
