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
func (m *machine) open(object bool) state {
	word, bit := m.depth>>6, uint64(1)<<(m.depth&63)
	m.depth++
	m.object = object
	if object {
		m.objects[word] |= bit
		return wantFirstName
	}
	m.objects[word] &^= bit
	return wantElement
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
	b, i, st := s.buf, s.at, s.state
	var reason Reason
	for i < len(b) {
		c := b[i]
		if c <= ' ' && st < inName {
			if i = s.skipSpace(b, i, st); i < len(b) && b[i] <= ' ' {
				return s.broken(i)
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
			if s.depth == s.tracked {
				s.nameStarts(i)
			}
			i++
			st = inName
			fallthrough
		case inName:
			var escaped bool
			i, reason, escaped = stringEnd(b, i)
			s.escaped = s.escaped || escaped
			if reason == 0 && s.depth == s.tracked {
				reason = s.nameEnds(i)
			}
			if reason != 0 {
				return s.stop(i, st, reason)
			}
			s.escaped, st = false, wantColon
			continue
		case wantColon:
			if c != ':' {
				return s.broken(i)
			}
			i++
			st = wantValue
			continue
		case wantNext:
			if c != ',' {
				goto closed
			}
			if s.depth == s.tracked {
				s.comma(i)
			}
			i++
			if st = wantValue; s.object {
				st = wantName
			}
			continue
		case wantElement, wantValue:
			if c == ']' && st == wantElement {
				goto closed
			}
			if s.depth == s.tracked {
				s.valueStarts(i, c)
			}
			if c == '{' || c == '[' {
				if s.depth == MaxDepth {
					return s.fail(Depth, i)
				}
				st = s.open(c == '{')
				i++
				continue
			}
			if st = inLiteral; c == '"' {
				st = inString
				i++
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
		if s.object && c != '}' || !s.object && c != ']' {
			return s.broken(i)
		}
		if s.depth == s.tracked {
			s.levelEnds(i)
		}
		s.close()
		i++
	ended:
		if st = wantNext; s.depth == s.tracked {
			st = s.valueEnds(i)
		}
	}
	return s.stop(i, st, torn)
}
