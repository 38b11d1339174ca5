//go:build !purego

package wire

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// These tests hold the vectors to the code that does the same byte by byte: for the same
// data there has to be the same end, reason and escaped.

func needVectors(tb testing.TB) {
	tb.Helper()
	if !hasAVX2 {
		tb.Skip("no AVX2")
	}
}

// byVectors is stringEnd with the vectors from the first byte on, whatever comes first.
func byVectors(b []byte, i int) (end int, reason Reason, escaped bool) {
	if i+block <= len(b) {
		if i, reason, escaped = vectorsEnd(b, i); reason != torn {
			return i, reason, escaped
		}
	}
	return bytesEnd(b, i, escaped)
}

// checkVectors compares the vectors with the bytes for b whole, and in two pieces at cut.
func checkVectors(tb testing.TB, b []byte, cut int) {
	tb.Helper()
	wantEnd, want, wantEscaped := bytesEnd(b, 0, false)
	checkEffort(tb, b, wantEnd, want)
	end, reason, escaped := byVectors(b, 0)
	if end != wantEnd || reason != want || escaped != wantEscaped {
		tb.Fatalf("%d, %v, %v; want %d, %v, %v: %q", end, reason, escaped, wantEnd, want, wantEscaped, b)
	}
	end, reason, escaped = byVectors(b[:cut:cut], 0)
	if tornEnd, tornReason, tornEscaped := bytesEnd(b[:cut], 0, false); end != tornEnd || reason != tornReason || escaped != tornEscaped {
		tb.Fatalf("the first %d: %d, %v, %v; want %d, %v, %v: %q", cut, end, reason, escaped, tornEnd, tornReason, tornEscaped, b)
	}
	if reason != torn {
		return
	}
	end, reason, more := byVectors(b, end)
	if end != wantEnd || reason != want || (escaped || more) != wantEscaped {
		tb.Fatalf("torn at %d: %d, %v, %v; want %d, %v, %v: %q", cut, end, reason, escaped || more, wantEnd, want, wantEscaped, b)
	}
}

// checkEffort checks that the vectors leave no more to the bytes than the last block of
// the data, or one with a fault.
func checkEffort(tb testing.TB, b []byte, end int, reason Reason) {
	tb.Helper()
	const open = 5 // a character or an escape
	switch {
	case len(b) < block:
		return
	case reason == 0 && end+block > len(b):
		end = len(b)
	}
	if got, more, _ := vectorsEnd(b, 0); got <= end-block-open || reason == 0 && end+block <= len(b) && more == torn {
		tb.Fatalf("given up at %d, with %v at %d: %q", got, reason, end, b)
	}
}

// checkPieces compares the vectors, for b in random pieces, with the bytes for b whole.
func checkPieces(tb testing.TB, b []byte, seed uint64) {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	end, reason, escaped := 0, torn, false
	for n := 0; n < len(b) && reason == torn; {
		n = min(n+1+r.IntN(4*block), len(b))
		var more bool
		end, reason, more = byVectors(b[:n:n], end)
		escaped = escaped || more
	}
	if wantEnd, want, wantEscaped := bytesEnd(b, 0, false); end != wantEnd || reason != want || escaped != wantEscaped {
		tb.Fatalf("in pieces: %d, %v, %v; want %d, %v, %v: %q", end, reason, escaped, wantEnd, want, wantEscaped, b)
	}
}

// checkPlaces puts s at every place of the first blocks, among plain bytes and among others.
func checkPlaces(t *testing.T, r *rand.Rand, s string) {
	t.Helper()
	for _, before := range []string{"x", `\n`, `\\`, "é", "日", "😀", `\u00e9`, `\"`} {
		head := strings.Repeat(before, 3*block/len(before)+1)
		for at := range block {
			n := block + at
			whole := strings.Repeat("x", n%len(before)) + head[:n-n%len(before)]
			b := []byte(whole + s + head[:2*len(before)] + `","` + head)
			checkVectors(t, b, r.IntN(len(b)+1))
			b = []byte(whole + s)
			checkVectors(t, b, r.IntN(len(b)+1))
			b = []byte(whole + s + `"`)
			checkVectors(t, b, r.IntN(len(b)+1))
		}
	}
}

func TestVectorsTakeEscapesAtEveryPlace(t *testing.T) {
	needVectors(t)
	r := rand.New(rand.NewPCG(11, 12))
	for c := range 256 {
		for at := range block {
			b := []byte(strings.Repeat("x", block/2+at) + `\` + string([]byte{byte(c)}) + strings.Repeat("y", block) + `"`)
			checkVectors(t, b, r.IntN(len(b)+1))
		}
	}
	for _, s := range []string{`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\x`, `\ `, `\é`, `\`, `\u1234`, `\uABCD`, `\uefef`, `\u0099`, `\u1234\u5678\u9aBc`, `\u1234u12`, `\\u12`, `\\\u12`, `\\\u12ab`, `\u`, `\u1`, `\u12`, `\u123`} {
		checkPlaces(t, r, s)
	}
}

func TestVectorsTakeDigitsOnly(t *testing.T) {
	needVectors(t)
	r := rand.New(rand.NewPCG(13, 14))
	for digit := range 4 {
		for c := range 256 {
			s := []byte(`\u09aF`)
			s[2+digit] = byte(c)
			for at := range block {
				b := []byte(strings.Repeat("x", block+at) + string(s) + strings.Repeat("x", block) + `"`)
				checkVectors(t, b, r.IntN(len(b)+1))
			}
		}
	}
}

func TestVectorsCountBackslashesAcrossBlocks(t *testing.T) {
	needVectors(t)
	r := rand.New(rand.NewPCG(15, 16))
	for n := 1; n <= 130; n++ {
		for at := range block {
			for _, after := range []string{`"`, `n`, `u12ab"`, `u12"`, `x"`, "é\"", "\n", ""} {
				b := []byte(strings.Repeat("x", at) + strings.Repeat(`\`, n) + after)
				b = append(b, strings.Repeat("y", r.IntN(2*block))+`"`...)
				checkVectors(t, b, r.IntN(len(b)+1))
			}
		}
	}
}

func TestVectorsTakeNoFaultOfUTF8(t *testing.T) {
	needVectors(t)
	r := rand.New(rand.NewPCG(17, 18))
	// What decides: each first byte with each second one, and what comes next.
	tails := []string{"", "x", "\x80", "\xbf", "\x80\x80", "\xbf\xbf", "\x80\x80\x80", "\xc3\xa9", `"`, `\n`, "\x80\"", "\x80é"}
	for first := 0x80; first < 0x100; first++ {
		for second := range 0x100 {
			for range 4 {
				tail := tails[r.IntN(len(tails))]
				at := block - 4 + r.IntN(8)
				b := []byte(strings.Repeat("x", at) + string([]byte{byte(first), byte(second)}) + tail + strings.Repeat("y", block) + `"`)
				checkVectors(t, b, r.IntN(len(b)+1))
			}
		}
	}
	for _, s := range []string{"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
		"\x80", "\xbf\xbf", "é\x80", "日\x80", "😀\x80", "\xc3", "\xe6\x97", "\xe6", "\xf0\x9f\x98", "\xf0\x9f", "\xf0", "\xc3\xc3\xa9", "\xe6\x97é", "\xf0\x9f\x98é", "\xe6\x97\n", "\xf0\x9f\x98\\n"} {
		checkPlaces(t, r, s)
	}
}

func TestVectorsTakeNoControlCharacter(t *testing.T) {
	needVectors(t)
	r := rand.New(rand.NewPCG(19, 20))
	for c := range 0x20 {
		checkPlaces(t, r, string([]byte{byte(c)}))
	}
	checkPlaces(t, r, "\x7f")
}

func TestVectorsTakeTextsWithFaultsAsTheBytesDo(t *testing.T) {
	needVectors(t)
	r := rand.New(rand.NewPCG(21, 22))
	for _, pieces := range texts {
		b := []byte(text(1000, pieces...) + `"` + strings.Repeat(" ", 70))
		for range 1000 {
			at := r.IntN(len(b))
			was := b[at]
			b[at] = byte(r.IntN(256))
			checkVectors(t, b, r.IntN(len(b)+1))
			checkPieces(t, b, r.Uint64())
			b[at] = was
		}
	}
}

func FuzzVectors(f *testing.F) {
	needVectors(f)
	for _, pieces := range texts {
		f.Add([]byte(text(200, pieces...)+`"`), uint16(70), uint8(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint16, shift uint8) {
		b = append([]byte(strings.Repeat("x", int(shift%block))), b...)
		checkVectors(t, b, int(cut)%(len(b)+1))
		checkPieces(t, b, uint64(cut))
		b = append(b, strings.Repeat("é", block)...) // whole blocks to the end
		checkVectors(t, b, int(cut)%(len(b)+1))
		checkPieces(t, b, uint64(cut))
	})
}
