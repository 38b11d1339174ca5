package wire

import "bytes"

// The bounds of an array in bytes that is worth to be known.
const (
	minKnown = 1 << 10
	maxKnown = 1 << 20
)

// Known is an array that a Scanner has found valid. A server sends long ones, like that of its tools, again and again.
type Known struct {
	raw    []byte
	depth  int  // at which it is valid
	breaks bool // there may be raw line breaks between its tokens
}

// Recall has a Scanner pass over arrays that are known already, where they are the value of a member that means nothing
// here. What follows a prefix of one has to be at hand to tell, so the Scanner waits for it.
type Recall struct {
	known   []*Known // those that it still may be
	matched int      // bytes of them that have come
	met     *Known
	longest Span // of the arrays that were looked through
	depth   int  // of that one
}

// Recall is to be called after Init, before the first byte: known are the arrays to recognise. r is the Scanner's until the
// next Init, and known is overwritten.
func (s *Scanner) Recall(r *Recall, known []*Known) {
	*r = Recall{known: known}
	s.recall = r
}

// Recognised is the known array that has come, nil when none has.
func (s *Scanner) Recognised() *Known {
	if s.recall == nil {
		return nil
	}
	return s.recall.met
}

// Know makes the longest array that came, and was not known, a known one: it counts as recognised from then on. It is nil
// when it is not worth it. It is called after End, with Recall before.
func (s *Scanner) Know() *Known {
	r := s.recall
	if n := r.longest.Len(); r.met == nil && n >= minKnown && n <= maxKnown {
		r.met = &Known{raw: bytes.Clone(r.longest.Of(s.buf)), depth: r.depth, breaks: s.Newlines}
	}
	return r.met
}

// recalled looks for a known array in b, at its start. It gives its length, 0 for none; or says that more has to come.
func (s *Scanner) recalled(b []byte) (n int, more bool) {
	r := s.recall
	if len(r.known) == 0 || s.tracked == 0 || s.levels[s.tracked-1].member != other {
		return 0, false
	}
	left := r.known[:0]
	for _, k := range r.known {
		have := min(len(b), len(k.raw))
		if k.depth != s.depth || !bytes.Equal(b[r.matched:have], k.raw[r.matched:have]) {
			continue
		}
		if have == len(k.raw) { // no other array starts with a whole one
			r.met, r.known = k, nil
			s.Newlines = s.Newlines || k.breaks
			return have, false
		}
		left = append(left, k)
	}
	r.known, r.matched = left, len(b)
	return 0, len(left) > 0
}

// longArray notes an array that was looked through.
func (s *Scanner) longArray(v Span) {
	if r := s.recall; v.Len() > r.longest.Len() {
		r.longest, r.depth = v, s.depth
	}
}
