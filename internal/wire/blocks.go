package wire

import "encoding/binary"

// block is how many bytes are looked at in one go.
const block = 64

// marks has a bit for each byte of w that ends a run of plain ones.
func marks(w *[block]byte) uint64 {
	m0 := specials(binary.LittleEndian.Uint64(w[0:]))
	m1 := specials(binary.LittleEndian.Uint64(w[8:]))
	m2 := specials(binary.LittleEndian.Uint64(w[16:]))
	m3 := specials(binary.LittleEndian.Uint64(w[24:]))
	m4 := specials(binary.LittleEndian.Uint64(w[32:]))
	m5 := specials(binary.LittleEndian.Uint64(w[40:]))
	m6 := specials(binary.LittleEndian.Uint64(w[48:]))
	m7 := specials(binary.LittleEndian.Uint64(w[56:]))
	if m0|m1|m2|m3|m4|m5|m6|m7 == 0 {
		return 0
	}
	// The marks of each word come together in its highest byte.
	const gather = 0x0002040810204081
	return m0*gather>>56 | m1*gather>>56<<8 | m2*gather>>56<<16 | m3*gather>>56<<24 |
		m4*gather>>56<<32 | m5*gather>>56<<40 | m6*gather>>56<<48 | m7*gather>>56<<56
}

// specials is special with every mark exact.
func specials(w uint64) uint64 {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	// Seven bits of each byte, to which no sum can carry over from the one below.
	low := w &^ high
	notQuote, notBackslash, notControl := (low^ones*'"')+ones*0x7f, (low^ones*'\\')+ones*0x7f, low+ones*0x60
	return (^(notQuote & notBackslash & notControl) | w) & high
}

// isPair tells whether two bytes from i on are a short escape, or a character with no
// other such next to it: what most often is between runs of plain bytes.
func isPair(b []byte, i int) bool {
	return i+2 < len(b) && followers[b[i+1]]&leaders[b[i]] != 0 && (b[i] == '\\' || b[i+2] < 0x80)
}

// leaders and followers have a bit in common for the two bytes of a pair.
var leaders, followers = func() (lead, follow [256]uint8) {
	lead['\\'] = 1
	for _, c := range `"\/bfnrt` {
		follow[c] = 1
	}
	for c := 0xc2; c < 0xe0; c++ {
		lead[c] = 2
	}
	for c := 0x80; c < 0xc0; c++ {
		follow[c] = 2
	}
	return lead, follow
}()
