package wire

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode/utf8"
)

// seen is the set of the member names of one object: a bit for each known name, a
// 64-bit hash for every other one.
type seen struct {
	known uint64
	n     int
	few   [8]uint64
	many  []uint64 // an open table once few is full; zero is free
}

// keepTable is the size up to which a table is kept for the next message.
const keepTable = 1 << 10

// trim lets go of a table that one large message left behind.
func (s *seen) trim() {
	if len(s.many) > keepTable {
		s.many = nil
	}
}

func (s *seen) reset() {
	s.known, s.n = 0, 0
}

// add is false when the name was there.
func (s *seen) add(m member, hash uint64) bool {
	if m != other && m != memberReserved {
		bit := uint64(1) << m
		fresh := s.known&bit == 0
		s.known |= bit
		return fresh
	}
	hash = max(hash, 1)
	if s.n < len(s.few) {
		if slices.Contains(s.few[:s.n], hash) {
			return false
		}
		s.few[s.n] = hash
		s.n++
		return true
	}
	if s.n == len(s.few) {
		s.spill()
	}
	if 4*s.n >= 3*len(s.many) {
		s.grow()
	}
	if !put(s.many, hash) {
		return false
	}
	s.n++
	return true
}

// spill moves the few into the table.
func (s *seen) spill() {
	if len(s.many) == 0 {
		s.many = make([]uint64, 8*len(s.few))
	} else {
		clear(s.many)
	}
	for _, h := range s.few {
		put(s.many, h)
	}
}

func (s *seen) grow() {
	old := s.many
	s.many = make([]uint64, 2*len(old))
	for _, h := range old {
		if h != 0 {
			put(s.many, h)
		}
	}
}

// put is false when the hash was there. The table has room.
func put(table []uint64, hash uint64) bool {
	mask := uint64(len(table) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch table[i] {
		case 0:
			table[i] = hash
			return true
		case hash:
			return false
		}
	}
}

// classifyEscaped is classify and hash for a name with escapes, without holding the
// decoded name.
func classifyEscaped(of member, raw []byte) (member, uint64) {
	var h maphash.Hash
	h.SetSeed(seed)
	var room [64]byte // longer than any known name
	head := room[:0]
	for len(raw) > 0 {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			n = len(raw)
		}
		h.Write(raw[:n])
		head = appendUpTo(head, raw[:n])
		if raw = raw[n:]; len(raw) > 0 {
			var one [utf8.UTFMax]byte
			r, size := escapedRune(raw)
			piece := appendHalf(one[:0], r)
			h.Write(piece)
			head = appendUpTo(head, piece)
			raw = raw[size:]
		}
	}
	return classify(of, head), h.Sum64()
}

// appendUpTo appends as much of p as dst has room for.
func appendUpTo(dst, p []byte) []byte {
	return append(dst, p[:min(len(p), cap(dst)-len(dst))]...)
}
