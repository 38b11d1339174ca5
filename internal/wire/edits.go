package wire

// Edit puts With in place of a Span of a message; a Span with Lo and Hi the same
// inserts there.
type Edit struct {
	Span
	With []byte
}

// Splice appends msg with the edits made. They are in order and do not overlap;
// every byte outside them is kept.
func Splice(dst, msg []byte, edits []Edit) []byte {
	at := 0
	for _, e := range edits {
		dst = append(dst, msg[at:e.Lo]...)
		dst = append(dst, e.With...)
		at = e.Hi
	}
	return append(dst, msg[at:]...)
}

// cut is an edit that the scan itself finds: With in place of a Span.
type cut struct {
	Span
	with string
}

// The object around structured content that is none.
const wrapOpen, wrapClose = `{"result":`, `}`

// copier appends a message from front to back without what is cut out of it.
type copier struct {
	dst, msg []byte
	cuts     []cut
	at       int // bytes of msg that are dealt with
}

func (s *Scanner) copier(dst []byte) copier {
	return copier{dst: dst, msg: s.buf, cuts: s.cuts}
}

// upTo copies up to hi. What is added then comes before a cut that starts at hi.
func (c *copier) upTo(hi int) {
	for len(c.cuts) > 0 && c.cuts[0].Lo < hi {
		c.dst = append(c.dst, c.msg[c.at:c.cuts[0].Lo]...)
		c.dst = append(c.dst, c.cuts[0].with...)
		c.at, c.cuts = c.cuts[0].Hi, c.cuts[1:]
	}
	c.dst = append(c.dst, c.msg[c.at:hi]...)
	c.at = hi
}

// replace copies up to v and puts with in its place.
func (c *copier) replace(v Span, with []byte) {
	c.upTo(v.Lo)
	c.dst = append(c.dst, with...)
	c.at = v.Hi
}

func (c *copier) add(p []byte)          { c.dst = append(c.dst, p...) }
func (c *copier) addString(text string) { c.dst = append(c.dst, text...) }

// rest copies what is left and gives the whole.
func (c *copier) rest() []byte {
	c.upTo(len(c.msg))
	return c.dst
}
