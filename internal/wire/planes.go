package wire

import "encoding/binary"

// planes sorts the bits of a block by their value: bn has the bit n of every byte.
// So a few operations on planes find all bytes of a kind in a block, as a set.
//
// The byte i of the block is the bit i/8 + i%8*8 of a plane and of a set, as it takes
// half the work to stop there. The first and the last byte have their own places.
func planes(w *[block]byte) (b0, b1, b2, b3, b4, b5, b6, b7 uint64) {
	b0 = binary.LittleEndian.Uint64(w[0:])
	b1 = binary.LittleEndian.Uint64(w[8:])
	b2 = binary.LittleEndian.Uint64(w[16:])
	b3 = binary.LittleEndian.Uint64(w[24:])
	b4 = binary.LittleEndian.Uint64(w[32:])
	b5 = binary.LittleEndian.Uint64(w[40:])
	b6 = binary.LittleEndian.Uint64(w[48:])
	b7 = binary.LittleEndian.Uint64(w[56:])
	// Eight words by eight bits: a matrix that is transposed.
	const singles, pairs, halves = 0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f
	b0, b1 = swap(b0, b1, 1, singles)
	b2, b3 = swap(b2, b3, 1, singles)
	b4, b5 = swap(b4, b5, 1, singles)
	b6, b7 = swap(b6, b7, 1, singles)
	b0, b2 = swap(b0, b2, 2, pairs)
	b1, b3 = swap(b1, b3, 2, pairs)
	b4, b6 = swap(b4, b6, 2, pairs)
	b5, b7 = swap(b5, b7, 2, pairs)
	b0, b4 = swap(b0, b4, 4, halves)
	b1, b5 = swap(b1, b5, 4, halves)
	b2, b6 = swap(b2, b6, 4, halves)
	b3, b7 = swap(b3, b7, 4, halves)
	return
}

// swap exchanges the bits of high that are in the mask with those of low that are n
// places above them.
func swap(low, high uint64, n int, mask uint64) (uint64, uint64) {
	t := (low>>n ^ high) & mask
	return low ^ t<<n, high ^ t
}

// next is the set of the bytes after those of a set; the bit carry tells of the first.
func next(set, carry uint64) uint64 { return set<<8 | set>>55&0xfe | carry }

// previous is the set of the bytes before those of a set; the bit carry tells of the last.
func previous(set, carry uint64) uint64 { return set>>8 | set<<55&(0x7f<<56) | carry<<63 }

// order makes the byte i the bit i of a set; it also undoes that.
func order(set uint64) uint64 {
	t := (set ^ set>>7) & 0x00aa00aa00aa00aa
	set ^= t ^ t<<7
	t = (set ^ set>>14) & 0x0000cccc0000cccc
	set ^= t ^ t<<14
	t = (set ^ set>>28) & 0x00000000f0f0f0f0
	return set ^ t ^ t<<28
}
