package wire

import (
	"encoding/hex"
	"math/bits"
	"math/rand/v2"
	"slices"
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
			i, reason = slowEscape(b, i)
		case c < 0x20:
			return i, Syntax, escaped
		case c < 0x80:
			i++
		case c >= 0xc2 && c <= 0xf4 && i+bits.LeadingZeros8(^c) > len(b):
			return i, torn, escaped // whatever comes after c
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

func slowEscape(b []byte, i int) (int, Reason) {
	switch {
	case i+1 == len(b):
		return i, torn
	case strings.IndexByte(`"\/bfnrt`, b[i+1]) >= 0:
		return i + 2, 0
	case b[i+1] != 'u':
		return i, Syntax
	case i+6 > len(b):
		return i, torn
	}
	if _, err := hex.DecodeString(string(b[i+2 : i+6])); err != nil {
		return i, Syntax
	}
	return i + 6, 0
}

// inBlocks is stringEnd as it is where there are no vectors.
func inBlocks(b []byte, i int) (end int, reason Reason, escaped bool) {
	if i+block <= len(b) {
		if i, reason, escaped = blocksEnd(b, i); reason != torn {
			return i, reason, escaped
		}
	}
	return bytesEnd(b, i, escaped)
}

// checkString compares stringEnd with slowEnd, from every place at which b may be torn
// when all is true.
func checkString(t *testing.T, b []byte, all bool) {
	t.Helper()
	checkEnds(t, stringEnd, b, all)
	checkEnds(t, inBlocks, b, all)
}

func checkEnds(t *testing.T, stringEnd func([]byte, int) (int, Reason, bool), b []byte, all bool) {
	t.Helper()
	wantEnd, want, wantEscaped := slowEnd(b, 0)
	for n := len(b); n >= 0 && (all || n == len(b)); n-- {
		at, reason, escaped := stringEnd(b[:n], 0)
		end := at
		if reason == torn {
			if at > n || at < n-5 {
				t.Fatalf("goes on at %d of %d: %q", at, n, b)
			}
			var more bool
			end, reason, more = stringEnd(b, at)
			escaped = escaped || more
		}
		if reason != want || end != wantEnd && want != torn || escaped != wantEscaped {
			t.Fatalf("torn at %d: %d, %v, %v; want %d, %v, %v: %q", n, end, reason, escaped, wantEnd, want, wantEscaped, b)
		}
	}
}

// Whatever stands at whatever place within the blocks that are looked at in one go, a
// string ends where it does byte by byte.
func TestStringsEndWhereTheyDoByteByByte(t *testing.T) {
	good := []string{`\"`, `\\`, `\\\"`, `\\\\`, `\n`, `\/`, `\b`, `\u00e9`, `\uD83d`, `\\u`, "é", "ß", "日", "ठ", "한", "\ud7ff", "\ue000", "\u0800", "😀", "\U0010ffff", "éé", "日本", "é日😀", "\x7f"}
	bad := []string{`"`, `\x`, `\é`, `\😀`, `\u12g4`, `\u123"`, `\u123`, `\\\`, `\`, "\x00", "\x1f", "\n", "\xff", "\xf8\x80\x80\x80", "\xf5\x80\x80\x80", "\xf4\xa0\x80\x80", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf",
		"\xf0\x9f\x98", "\xf0\x9f\x98x", "\xed\xa0\x80", "\xe6\x97", "\xe6x", "\xe0\x9f\xbf", "\xc3", "\xc3é", "\xc0\x80", "\xc1\xbf", "\x80", "é\x80", "日\x80", "😀\x80"}
	for _, p := range slices.Concat(good, bad) {
		for at := range 200 {
			s := `\n` + strings.Repeat("x", at) + p // blocks start where the plain bytes end
			checkString(t, []byte(s), true)
			checkString(t, []byte(s+`"`), true)
			checkString(t, []byte(s+strings.Repeat("y", 150-at/2)+`"z`), at >= 60 && at < 70)
			checkString(t, []byte(strings.Repeat(p, 1+at/len(p))+s+`"`+strings.Repeat(" ", 70)), false)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range r.IntN(12) {
			from := good
			if r.IntN(40) == 0 {
				from = bad
			}
			b.WriteString(strings.Repeat("x", r.IntN(30)*r.IntN(2)) + from[r.IntN(len(from))])
		}
		checkString(t, []byte(b.String()+`"`+strings.Repeat("\n", r.IntN(80))), r.IntN(20) == 0)
	}
}

// The same for texts that tools return, one byte of which is another one.
func TestTextsWithAFaultEndWhereTheyDoByteByByte(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, pieces := range texts {
		b := []byte(text(500, pieces...) + `"` + strings.Repeat(" ", 70))
		checkString(t, b, true)
		for range 2000 {
			at, with := r.IntN(len(b)), byte(r.IntN(256))
			was := b[at]
			b[at] = with
			checkString(t, b, false)
			b[at] = was
		}
	}
}

func FuzzString(f *testing.F) {
	for _, pieces := range texts {
		f.Add([]byte(text(200, pieces...) + `"`))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkString(t, b, true) })
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
