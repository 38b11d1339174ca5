package wire

import "bytes"

// The bounds of a list of tools in bytes that is worth to be known.
const (
	minKnown = 1 << 10
	maxKnown = 1 << 20
)

// Known is the array of tools of a result, found valid. A server sends the same one again and again.
type Known struct {
	raw    []byte
	breaks bool // there are raw line breaks between its tokens
}

// Same tells whether two are the same tools.
func (k *Known) Same(other *Known) bool { return bytes.Equal(k.raw, other.raw) }

// Recall has a Scanner pass over the tools of a result where they are known already. What follows a prefix of them has to be
// at hand to tell, so the Scanner waits for it.
type Recall struct {
	known   []*Known // those that they still may be
	matched int      // bytes of them that have come
	met     *Known
	tools   Span // where nothing was known of them
}

// Recall is to be called after Init, before the first byte: known are the tools to recognise. r is the Scanner's until the
// next Init, and known is overwritten.
func (s *Scanner) Recall(r *Recall, known []*Known) {
	*r = Recall{known: known}
	s.recall = r
}

// Recognised is what was known of the tools that have come, nil when nothing was.
func (s *Scanner) Recognised() *Known {
	if s.recall == nil {
		return nil
	}
	return s.recall.met
}

// Know makes the tools that came known: they count as recognised from then on. It is nil when it is not worth it. It is
// called after End and before any Drain, with Recall before.
func (s *Scanner) Know() *Known {
	r := s.recall
	if n := r.tools.Len(); r.met == nil && n >= minKnown && n <= maxKnown {
		raw := bytes.Clone(r.tools.Of(s.buf))
		r.met = &Known{raw: raw, breaks: s.Newlines && bytes.ContainsAny(raw, "\r\n")}
	}
	return r.met
}

// recalled looks for known tools in b, at its start. It gives their length, 0 for none; or says that more has to come.
func (s *Scanner) recalled(b []byte) (n int, more bool) {
	r := s.recall
	if len(r.known) == 0 || s.tracked == 0 || s.levels[s.tracked-1].member != memberTools {
		return 0, false
	}
	left := r.known[:0]
	for _, k := range r.known {
		have := min(len(b), len(k.raw))
		if !bytes.Equal(b[r.matched:have], k.raw[r.matched:have]) {
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

// noteTools notes where the tools are, to be known, if they are an array that is still there.
func (s *Scanner) noteTools(first byte, v Span) {
	if s.recall != nil && first == '[' && s.base == 0 {
		s.recall.tools = v
	}
}
