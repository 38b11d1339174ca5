package wire

import (
	"encoding/binary"
	"math/bits"
)

// stringEnd goes on with a string at i, which is inside it, and gives the byte after
// its closing quote. When the data ends first, it gives a place to go on from.
func stringEnd(b []byte, i int) (end int, reason Reason, escaped bool) {
	if i+8 <= len(b) {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			i += bits.TrailingZeros64(m) >> 3
		} else {
			i = skipPlain(b, i+8)
		}
		if i < len(b) && b[i] == '"' {
			return i + 1, 0, false
		}
	}
	for i+block <= len(b) { // there is more in it than plain bytes
		m := marks((*[block]byte)(b[i:]))
		if m == 0 {
			if i = skipPlain(b, i+block); i < len(b) && b[i] == '"' {
				return i + 1, 0, escaped
			}
			continue
		}
		next := i + block
		for m != 0 {
			at := i + bits.TrailingZeros64(m)
			c := b[at]
			escaped = escaped || c == '\\'
			switch {
			case c == '"':
				return at + 1, 0, escaped
			case isPair(b, at):
				at += 2
			default:
				if at, reason = specialEnd(b, at); reason != 0 {
					return at, reason, escaped
				}
			}
			if at >= next {
				next = at
				break
			}
			done := uint(at-i) % block
			m = m >> done << done
		}
		i = next
	}
	for {
		switch i = skipPlain(b, i); {
		case i >= len(b):
			return i, torn, escaped
		case b[i] == '"':
			return i + 1, 0, escaped
		}
		escaped = escaped || b[i] == '\\'
		if i, reason = specialEnd(b, i); reason != 0 {
			return i, reason, escaped
		}
	}
}

// specialEnd gives the byte after the escape, or the run of non-ASCII characters, that
// starts at i.
func specialEnd(b []byte, i int) (int, Reason) {
	switch c := b[i]; {
	case c == '\\':
		return escapeEnd(b, i)
	case c < 0x20:
		return i, Syntax
	}
	return runesEnd(b, i)
}

// special marks the bytes of w that end a run of plain ones: quote, backslash,
// control, non-ASCII. Only the lowest mark is exact, as borrows travel upwards.
func special(w uint64) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote, backslash, control := (w^ones*'"')-ones, (w^ones*'\\')-ones, w-ones*' '
	return (quote | backslash | control | w) & high
}

// shortEnd is stringEnd for a string that ends within the next eight bytes and has
// nothing but plain ones before that; 0 when it is not so. It is small, to be inlined.
func shortEnd(b []byte, i int) int {
	if i+8 <= len(b) {
		if i += bits.TrailingZeros64(special(binary.LittleEndian.Uint64(b[i:]))) >> 3; i < len(b) && b[i] == '"' {
			return i + 1
		}
	}
	return 0
}

// skipPlain gives the first byte from i on that is not plain, or the end.
func skipPlain(b []byte, i int) int {
	for ; i+32 <= len(b); i += 32 {
		w := (*[32]byte)(b[i:])
		m0 := special(binary.LittleEndian.Uint64(w[0:]))
		m1 := special(binary.LittleEndian.Uint64(w[8:]))
		m2 := special(binary.LittleEndian.Uint64(w[16:]))
		m3 := special(binary.LittleEndian.Uint64(w[24:]))
		if m0|m1|m2|m3 == 0 {
			continue
		}
		switch {
		case m0 != 0:
			return i + bits.TrailingZeros64(m0)>>3
		case m1 != 0:
			return i + 8 + bits.TrailingZeros64(m1)>>3
		case m2 != 0:
			return i + 16 + bits.TrailingZeros64(m2)>>3
		}
		return i + 24 + bits.TrailingZeros64(m3)>>3
	}
	for ; i+8 <= len(b); i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	return skipTail(b, i)
}

// skipTail is skipPlain for the last bytes.
func skipTail(b []byte, i int) int {
	for i < len(b) && b[i] >= 0x20 && b[i] < 0x80 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

// escapeEnd gives the byte after the escape at i.
func escapeEnd(b []byte, i int) (int, Reason) {
	if i+1 >= len(b) {
		return i, torn
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, 0
	case 'u':
		if i+6 > len(b) {
			return i, torn
		}
		for _, c := range b[i+2 : i+6] {
			if c-'0' > 9 && (c|0x20)-'a' > 5 {
				return i, Syntax
			}
		}
		return i + 6, 0
	}
	return i, Syntax
}

// runesEnd gives the first ASCII byte from i on, where a non-ASCII one stands, once
// all between is valid UTF-8 (RFC 3629).
func runesEnd(b []byte, i int) (int, Reason) {
	for i < len(b) && b[i] >= 0x80 {
		c := b[i]
		switch {
		case c < 0xc2 || c > 0xf4:
			return i, UTF8
		case c < 0xe0:
			if i+2 > len(b) {
				return i, torn
			}
			if b[i+1]&0xc0 != 0x80 {
				return i, UTF8
			}
			i += 2
		case c < 0xf0:
			if i+3 > len(b) {
				return i, torn
			}
			r := uint32(c&0x0f)<<12 | uint32(b[i+1]&0x3f)<<6 | uint32(b[i+2]&0x3f)
			if b[i+1]&0xc0 != 0x80 || b[i+2]&0xc0 != 0x80 || r < 0x800 || r-0xd800 < 0x800 {
				return i, UTF8
			}
			i += 3
		default:
			if i+4 > len(b) {
				return i, torn
			}
			r := uint32(c&0x07)<<18 | uint32(b[i+1]&0x3f)<<12
			if b[i+1]&0xc0 != 0x80 || b[i+2]&0xc0 != 0x80 || b[i+3]&0xc0 != 0x80 || r < 0x10000 || r > 0x10ffff {
				return i, UTF8
			}
			i += 4
		}
	}
	return i, 0
}
