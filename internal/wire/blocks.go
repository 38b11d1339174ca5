package wire

import "math/bits"

// block is how many bytes are looked at in one go. Texts are too varied to foresee
// where their escapes and other scripts are, so that no branch depends on it.
const block = 64

// ahead is how many bytes have to be there after a block, for the digits of an escape
// that starts in it.
const ahead = 4

// blocksEnd is longEnd in Go.
func blocksEnd(b []byte, i int) (end int, reason Reason, escaped bool) {
	if i = skipPlain(b, i); i < len(b) && b[i] == '"' {
		return i + 1, 0, false
	}
	start := i
	// Of the block before: its last byte escapes one, its last character has so many
	// bytes to come at least.
	var escape, one, two, three uint64
	var backslashes uint64
	for ; i+block+ahead <= len(b); i += block {
		b0, b1, b2, b3, b4, b5, b6, b7 := planes((*[block]byte)(b[i:]))

		quote := b1 & b5 &^ (b0 | b2 | b3 | b4 | b6 | b7)
		backslash := b2 & b3 & b4 & b6 &^ (b0 | b1 | b5 | b7)
		after := next(backslash, escape)
		if after&backslash != 0 {
			after = order(escapedOf(order(backslash), escape))
		}
		nrt := b5 & b6 &^ (b0 | b7) & (b1&b2&b3&^b4 | (b1^b2)&b4&^b3)
		odd := after &^ (quote | backslash | nrt)

		fault := ^(b5 | b6 | b7) // control characters
		var lead, rare uint64
		if b7|one != 0 {
			lead = b6 & b7
			long := lead & b5
			four := long & b4
			third := next(four, three) | long
			second := next(third, two) | lead
			fault |= next(second, one) ^ b7&^b6
			rare = lead&^(b1|b2|b3|b4) | four | long&b0&b2&b3&^b1
			one, two, three = second>>63, third>>63, four>>63
		}

		quote &^= after
		if quote|fault|odd|rare != 0 {
			if odd != 0 {
				fault |= escapeFaults(b, i, odd)
			}
			if rare != 0 {
				fault |= secondFaults(b0, b1, b2, b3, b4, b5, lead, uint64(b[i+block]))
			}
			q := order(quote)
			if fault != 0 && order(fault)&(q^(q-1)) != 0 {
				break
			}
			if q != 0 {
				escaped = backslashes != 0 || order(backslash)&(q-1) != 0
				return i + bits.TrailingZeros64(q) + 1, 0, escaped
			}
		}
		escape = (backslash &^ after) >> 63
		backslashes |= backslash
	}
	if escape != 0 {
		i--
	}
	return runeStart(b, start, i), torn, backslashes != 0
}

// runeStart goes back from i to the first byte of the character that ends there or goes
// on, but not before start.
func runeStart(b []byte, start, i int) int {
	if i > start && b[i-1] >= 0x80 {
		for i--; b[i]&0xc0 == 0x80; i-- {
		}
	}
	return i
}

// escapedOf gives what is escaped, in order, where backslashes follow each other; escape
// tells of the first byte.
func escapedOf(backslash, escape uint64) uint64 {
	const even = 0x5555555555555555
	backslash &^= escape
	after := backslash<<1 | escape
	// Of a run that starts at an even place, what follows at odd places is escaped. A
	// run that starts at an odd place is the other way round: the sum takes it away.
	odd := backslash &^ (after | even)
	return ((odd+backslash)<<1 ^ even) & after
}

// escapeFaults gives the second bytes of escapes, of those in the set odd, that are
// faults. The block is at i.
func escapeFaults(b []byte, i int, odd uint64) (faults uint64) {
	for m := order(odd); m != 0; m &= m - 1 {
		at := i + bits.TrailingZeros64(m)
		if b[at] == 'u' && areDigits((*[4]byte)(b[at+1:])) {
			continue
		}
		if _, reason := escapeEnd(b, at-1); reason != 0 {
			faults |= m & -m
		}
	}
	return order(faults)
}

// secondFaults gives the first bytes of characters that are faults by themselves or by
// the byte after them (RFC 3629): those that are too long for what they say, halves of
// surrogate pairs, and what is beyond U+10FFFF. What comes after the block is follows.
func secondFaults(b0, b1, b2, b3, b4, b5, lead, follows uint64) uint64 {
	// Of the second byte, the bits that matter.
	s4, s5 := previous(b4, follows>>4&1), previous(b5, follows>>5&1)
	two, three, four := lead&^b5, lead&b5&^b4, lead&b5&b4
	none := ^(b0 | b1 | b2 | b3)
	c0 := two &^ (b1 | b2 | b3 | b4)
	e0 := three & none &^ s5
	ed := three & b0 & b2 & b3 &^ b1 & s5
	f0 := four & none &^ (s4 | s5)
	f4 := four & (b3 | b2&(b0|b1|s4|s5))
	return c0 | e0 | ed | f0 | f4
}
