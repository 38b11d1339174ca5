package wire

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// slowEnd is stringEnd byte by byte.
func slowEnd(b []byte, i int) (end int, reason Reason, escaped bool) {
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1, 0, escaped
		case c == '\\':
			escaped = true
			i, reason = escapeEnd(b, i)
		case c < 0x20:
			return i, Syntax, escaped
		case c < 0x80:
			i++
		case !utf8.FullRune(b[i:]):
			return i, torn, escaped
		default:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				return i, UTF8, escaped
			}
			i += size
		}
		if reason != 0 {
			return i, reason, escaped
		}
	}
	return i, torn, escaped
}

// Whatever stands at whatever place within the blocks that are looked at in one go, a
// string ends where it does byte by byte.
func TestStringsEndWhereTheyDoByteByByte(t *testing.T) {
	parts := []string{`"`, `\"`, `\\`, `\n`, `\/`, `\u00e9`, `\ud83d`, `\x`, `\u12g4`, "é", "ß", "日", "😀", "éé", "\x1f", "\x7f", "\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xe6\x97", "\x80", `\`}
	r := rand.New(rand.NewPCG(1, 2))
	check := func(b []byte) {
		t.Helper()
		end, reason, escaped := stringEnd(b, 0)
		wantEnd, want, wantEscaped := slowEnd(b, 0)
		if torn := want == torn; reason != want || end != wantEnd && !torn || escaped != wantEscaped || torn && (end > len(b) || end < len(b)-5) {
			t.Fatalf("%d, %v, %v; want %d, %v, %v: %q", end, reason, escaped, wantEnd, want, wantEscaped, b)
		}
	}
	for _, p := range parts {
		for at := range 200 {
			s := strings.Repeat("x", at) + p
			check([]byte(s))
			check([]byte(s + `"`))
			check([]byte(s + strings.Repeat("y", 150-at/2) + `"z`))
		}
	}
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			p := parts[1+r.IntN(13)]
			if r.IntN(40) == 0 {
				p = parts[r.IntN(len(parts))]
			}
			b.WriteString(strings.Repeat("x", r.IntN(30)*r.IntN(2)) + p)
		}
		check([]byte(b.String() + `"` + strings.Repeat(" ", r.IntN(80))))
	}
}

// What is a string of another value costs no decoding.
func TestAnotherValueCostsNoAllocation(t *testing.T) {
	asks := []byte(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}`)
	var s Scanner
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() {
		s.Init(FromServer, buf)
		if s.Feed(asks) != nil || s.End() != nil || s.Ending != InputRequired {
			t.Error("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
