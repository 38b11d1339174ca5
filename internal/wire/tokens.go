package wire

import (
	"encoding/binary"
	"math/bits"
)

// torn says that the data ends before the token does.
const torn Reason = 0xff

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

// skipSpace gives the next byte that is no white space, and notes line breaks.
func (s *Scanner) skipSpace(b []byte, i int, st state) int {
	breaks := false
	for i < len(b) && isSpace(b[i]) {
		breaks = breaks || b[i] == '\n' || b[i] == '\r'
		i = skipIndent(b, i+1)
	}
	if breaks && st != wantNothing {
		s.Newlines = true
	}
	return i
}

// skipIndent gives the next byte that is no blank, or a blank among the last bytes.
func skipIndent(b []byte, i int) int {
	const blanks = 0x2020202020202020
	for ; i+8 <= len(b); i += 8 {
		if others := binary.LittleEndian.Uint64(b[i:]) ^ blanks; others != 0 {
			return i + bits.TrailingZeros64(others)>>3
		}
	}
	return i
}

// broken is the error for a byte that cannot stand where it does. What starts no
// token of JSON but some other encoding is a matter of UTF-8.
func (s *Scanner) broken(i int) *Error { return s.fail(brokenBy(s.buf[i]), i) }

func brokenBy(c byte) Reason {
	if c >= 0x80 || c == 0 {
		return UTF8
	}
	return Syntax
}

// stop leaves the scan before the i-th byte of the buffer: for more data when the
// reason is torn, else for good.
func (s *Scanner) stop(i int, st state, reason Reason) *Error {
	if reason != torn {
		return s.fail(reason, i)
	}
	if end := s.end - s.base; st == wantNothing {
		s.around += i - end
		i, s.buf = end, s.buf[:end]
	}
	s.at, s.state = i, st
	return nil
}

// finish ends a number that only the end of the data ends.
func (s *Scanner) finish() {
	if s.state == inNumber && s.depth == 0 && s.phase.whole() {
		s.end = s.base + s.at
		s.state = wantNothing
	}
}
