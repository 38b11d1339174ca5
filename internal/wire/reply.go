package wire

import "io"

// idMember goes before the closing brace of a reply without an id.
const idMember = `,"id":`

// AppendReply appends a server's reply for a legacy client: with id in place of its
// own, and without what only the modern dialect has: resultType, ttlMs and cacheScope
// of result, and the protocol's own members of its _meta. Structured content that is
// no object becomes the member "result" of one. Every other byte is kept. It is good after End and before any Drain.
func (s *Scanner) AppendReply(dst, id []byte) []byte {
	c := s.copier(dst)
	if s.ID.IsSet() {
		c.replace(s.ID, id)
		return c.rest()
	}
	c.upTo(len(s.buf) - 1)
	c.addString(idMember)
	c.add(id)
	return c.rest()
}

// MostAdded is how many bytes are added to a server's message with an id at most, when it
// becomes a reply, beside the other id.
const MostAdded = len(wrapOpen) + len(wrapClose)

// ReplySize is the length of what AppendReply appends for an id of idLen bytes.
func (s *Scanner) ReplySize(idLen int) int {
	n := len(s.buf) + idLen
	if s.ID.IsSet() {
		n -= s.ID.Len()
	} else {
		n += len(idMember)
	}
	for _, c := range s.cuts {
		n += len(c.with) - c.Len()
	}
	return n
}

// WriteReply writes what AppendReply appends, without a copy.
func (s *Scanner) WriteReply(w io.Writer, id []byte) error {
	return s.writeUpTo(w, id, len(s.buf))
}

// Drain writes as much of the reply as no later byte can change, and forgets it, so
// that a long reply streams through little memory. After End it writes the rest. All
// of it together is what AppendReply appends.
//
// Spans of Found keep counting from the start of the message, so those of forgotten
// bytes can no longer be looked up; a resultType is in the buffer when Feed returns
// after it, and Ending stays.
func (s *Scanner) Drain(w io.Writer, id []byte) error {
	if s.err != nil {
		return s.err
	}
	end := s.base + s.at
	if s.Kind == 0 {
		for i := range s.levels {
			if hold := s.levels[i].hold; hold >= 0 {
				end = min(end, hold)
			}
		}
	}
	if end <= s.base {
		return nil
	}
	if err := s.writeUpTo(w, id, end); err != nil {
		return err
	}
	s.forget(end)
	return nil
}

// writeUpTo writes the reply from the first byte that is not forgotten up to the
// byte end of the message.
func (s *Scanner) writeUpTo(w io.Writer, id []byte, end int) error {
	lo := s.base
	if s.ID.IsSet() && !s.idDone && s.ID.Lo < end {
		if err := s.writeKept(w, lo, s.ID.Lo); err != nil {
			return err
		}
		if _, err := w.Write(id); err != nil {
			return err
		}
		lo = s.ID.Hi
	}
	if s.ID.IsSet() || s.Kind == 0 {
		return s.writeKept(w, lo, end)
	}
	if err := s.writeKept(w, lo, end-1); err != nil {
		return err
	}
	for _, p := range [...][]byte{[]byte(idMember), id, []byte("}")} {
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// writeKept writes the bytes from lo to hi of the message that are not cut out. A cut
// is inside that range or outside.
func (s *Scanner) writeKept(w io.Writer, lo, hi int) error {
	for _, c := range s.cuts {
		if lo <= c.Lo && c.Hi <= hi {
			if err := s.write(w, lo, c.Lo); err != nil {
				return err
			}
			if c.with != "" {
				if _, err := io.WriteString(w, c.with); err != nil {
					return err
				}
			}
			lo = c.Hi
		}
	}
	return s.write(w, lo, hi)
}

func (s *Scanner) write(w io.Writer, lo, hi int) error {
	if lo == hi {
		return nil
	}
	_, err := w.Write(s.buf[lo-s.base : hi-s.base])
	return err
}

// forget drops the message up to the byte end, and with it the cuts before that.
func (s *Scanner) forget(end int) {
	n := end - s.base
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
	s.at -= n
	s.base = end
	s.cuts = s.cuts[:0]
	s.idDone = s.ID.IsSet() && s.ID.Hi <= end
}
