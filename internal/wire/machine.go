package wire

// state is what may come next.
type state uint8

// White space is skipped in the states before inName only.
const (
	atLead state = iota
	wantValue
	wantElement // or the end of the array
	wantName
	wantFirstName // or the end of the object
	wantColon
	wantNext    // or the end of the array or object
	wantNothing // the message is complete
	inName
	inString
	inNumber
	inLiteral
)

// machine is where a scan stands between two pieces of a message.
type machine struct {
	state   state
	phase   phase // of a number
	mark    uint8 // bytes of the byte order mark seen
	escaped bool  // the name under way has escapes
	object  bool  // the innermost container is an object
	at      int   // bytes of the buffer that are scanned
	end     int   // where the message ended
	depth   int   // open containers
	objects [MaxDepth / 64]uint64
}

// open enters a container and says what comes first in it.
func (m *machine) open(object bool) (state, Reason) {
	if m.depth == MaxDepth {
		return wantValue, Depth
	}
	word, bit := m.depth>>6, uint64(1)<<(m.depth&63)
	m.depth++
	m.object = object
	if object {
		m.objects[word] |= bit
		return wantFirstName, 0
	}
	m.objects[word] &^= bit
	return wantElement, 0
}

// close leaves the innermost container.
func (m *machine) close() {
	m.depth--
	outer := uint(m.depth - 1)
	m.object = m.depth > 0 && m.objects[outer>>6]>>(outer&63)&1 != 0
}

// scan takes the buffer from s.at on as far as it goes. It stops between tokens,
// inside strings and numbers, and before a literal or escape that is torn.
//
// The levels in which members are looked for are the outermost containers, so a
// token concerns them exactly when depth and tracked are the same.
func (s *Scanner) scan() *Error {
	b, i, st, reason := s.buf, s.at, s.state, Reason(0)
	for i < len(b) {
		c := b[i]
		if c <= ' ' && st < inName && isSpace(c) {
			if i++; c != ' ' || i == len(b) || b[i] <= ' ' { // more than one blank
				i = s.skipSpace(b, i-1, st)
			}
			continue
		}
		switch st {
		case wantFirstName, wantName:
			if c == '}' && st == wantFirstName {
				goto closed
			}
			if c != '"' {
				return s.broken(i)
			}
			s.nameStarts(i)
			i++
			fallthrough
		case inName:
			if i, st, reason = s.name(b, i); reason != 0 {
				return s.stop(i, st, reason)
			}
			continue
		case wantColon:
			if c != ':' {
				return s.broken(i)
			}
			st, i = wantValue, i+1
			continue
		case wantNext:
			if c != ',' {
				goto closed
			}
			st, i = s.next(i), i+1
			continue
		case wantElement, wantValue:
			if c == ']' && st == wantElement {
				goto closed
			}
			if i, st, reason = s.value(b, i, st); reason != 0 {
				return s.stop(i, st, reason)
			}
			if st == wantNext {
				goto ended
			}
			if st < inName {
				continue
			}
		case wantNothing:
			return s.broken(i)
		}
		if st == inString {
			i, reason, _ = stringEnd(b, i)
		} else {
			i, st, reason = s.word(b, i, st)
		}
		if reason != 0 {
			return s.stop(i, st, reason)
		}
		goto ended
	closed:
		if !s.closes(i, c) {
			return s.broken(i)
		}
		i++
	ended:
		if st = wantNext; s.depth == s.tracked {
			st = s.valueEnds(i)
		}
	}
	return s.stop(i, st, torn)
}

// value begins a value at i: it enters a container, or passes over one that is known as
// a whole (wantNext).
func (s *Scanner) value(b []byte, i int, st state) (int, state, Reason) {
	c, n := b[i], 0
	if s.depth == s.tracked {
		if c == '[' && s.recall != nil {
			var more bool
			if n, more = s.recalled(b[i:]); more {
				return i, st, torn
			}
		}
		s.valueStarts(i, c)
	}
	switch {
	case n > 0:
		return i + n, wantNext, 0
	case c == '{' || c == '[':
		inside, reason := s.open(c == '{')
		if reason != 0 {
			return i, st, reason
		}
		return i + 1, inside, 0
	case c == '"':
		return i + 1, inString, 0
	}
	return i, inLiteral, 0
}

// name goes on with a member's name at i, which is inside it, and takes the colon
// too when that is next.
func (s *Scanner) name(b []byte, i int) (int, state, Reason) {
	i, reason, escaped := stringEnd(b, i)
	if s.depth != s.tracked {
		return strungMembers(b, i, reason)
	}
	s.escaped = s.escaped || escaped
	if reason == 0 {
		reason = s.nameEnds(i)
	}
	if reason != 0 {
		return i, inName, reason
	}
	s.escaped = false
	if i < len(b) && b[i] == ':' {
		return i + 1, wantValue, 0
	}
	return i, wantColon, 0
}

// strungMembers goes on after a name, where no members are looked for, as long as the
// values are strings and there is no white space: most of a schema is like that.
func strungMembers(b []byte, i int, reason Reason) (int, state, Reason) {
	for reason == 0 {
		switch {
		case i+1 >= len(b) || b[i] != ':':
			return i, wantColon, 0
		case b[i+1] != '"':
			return i + 1, wantValue, 0
		}
		if i, reason, _ = stringEnd(b, i+2); reason != 0 {
			return i, inString, reason
		}
		if i+1 >= len(b) || b[i] != ',' || b[i+1] != '"' {
			return i, wantNext, 0
		}
		i, reason, _ = stringEnd(b, i+2)
	}
	return i, inName, reason
}

// word scans a number or literal from its start (inLiteral), or goes on with a number.
func (s *Scanner) word(b []byte, i int, st state) (int, state, Reason) {
	if c := b[i]; st == inLiteral {
		if c != '-' && c-'0' > 9 {
			end, reason := literalEnd(b, i)
			return end, st, reason
		}
		s.phase = numStart
	}
	var reason Reason
	i, s.phase, reason = numberEnd(b, i, s.phase)
	return i, inNumber, reason
}

// next goes past a comma and says what has to follow.
func (s *Scanner) next(i int) state {
	if s.depth == s.tracked {
		s.comma(i)
	}
	if s.object {
		return wantName
	}
	return wantValue
}

// closes leaves the innermost container, if c at i is its end.
func (s *Scanner) closes(i int, c byte) bool {
	if s.object && c != '}' || !s.object && c != ']' {
		return false
	}
	if s.depth == s.tracked {
		s.levelEnds(i)
	}
	s.close()
	return true
}
