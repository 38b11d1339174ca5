package wire

import (
	"encoding/binary"
	"math/bits"
)

// stringEnd goes on with a string at i, which is inside it, and gives the byte after
// its closing quote. When the data ends first, it gives a place to go on from.
func stringEnd(b []byte, i int) (end int, reason Reason, escaped bool) {
	if i >= 0 && i+16 <= len(b) { // few names are longer; the start is as in skipPlain
		w := (*[16]byte)(b[i : i+16 : i+16])
		m := special(binary.LittleEndian.Uint64(w[0:]))
		if m == 0 {
			m = special(binary.LittleEndian.Uint64(w[8:]))
			i += 8
		}
		if m == 0 {
			i += 8
		} else if i += bits.TrailingZeros64(m) >> 3; b[i] == '"' {
			return i + 1, 0, false
		}
		if i+block <= len(b) {
			if i, reason, escaped = longEnd(b, i); reason != torn {
				return i, reason, escaped
			}
		}
	}
	return bytesEnd(b, i, escaped)
}

// bytesEnd is stringEnd for the last bytes of the data, and before faults.
func bytesEnd(b []byte, i int, before bool) (end int, reason Reason, escaped bool) {
	for escaped = before; ; {
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

// skipPlain gives the first byte from i on that is not plain, or the end.
func skipPlain(b []byte, i int) int {
	for ; i >= 0 && i+32 <= len(b); i += 32 { // i >= 0, and the capacity, save steps on the way to the address
		w := (*[32]byte)(b[i : i+32 : i+32])
		m0 := special(binary.LittleEndian.Uint64(w[0:]))
		m1 := special(binary.LittleEndian.Uint64(w[8:]))
		m2 := special(binary.LittleEndian.Uint64(w[16:]))
		m3 := special(binary.LittleEndian.Uint64(w[24:]))
		if m0|m1|m2|m3 == 0 {
			continue
		}
		if m0 == 0 {
			m0 = m1
			i += 8
		}
		if m0 == 0 {
			m0 = m2
			i += 8
		}
		if m0 == 0 {
			m0 = m3
			i += 8
		}
		return i + bits.TrailingZeros64(m0)>>3
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
		if !areDigits((*[4]byte)(b[i+2:])) {
			return i, Syntax
		}
		return i + 6, 0
	}
	return i, Syntax
}

// areDigits tells whether d are hexadecimal digits. As such digits come at random, it
// has no branches.
func areDigits(d *[4]byte) bool {
	return hexDigits[d[0]]&hexDigits[d[1]]&hexDigits[d[2]]&hexDigits[d[3]] != 0
}

// hexDigits is one for a byte that is a hexadecimal digit.
var hexDigits = func() (t [256]uint8) {
	for _, c := range "0123456789abcdefABCDEF" {
		t[c] = 1
	}
	return t
}()

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
