package wire

// literalEnd gives the end of the true, false or null that starts at i.
func literalEnd(b []byte, i int) (int, Reason) {
	var want string
	switch b[i] {
	case 't':
		want = "true"
	case 'f':
		want = "false"
	case 'n':
		want = "null"
	default:
		return i, brokenBy(b[i])
	}
	n := min(len(want), len(b)-i)
	switch {
	case string(b[i:i+n]) != want[:n]:
		return i, Syntax
	case n < len(want):
		return i, torn
	}
	return i + n, 0
}

// phase is a place in the grammar of a number.
type phase uint8

const (
	numStart phase = iota
	numMinus
	numZero
	numInt
	numDot
	numFraction
	numE
	numSign
	numExponent
)

// whole reports whether a number may end here.
func (p phase) whole() bool {
	return p == numZero || p == numInt || p == numFraction || p == numExponent
}

// numberEnd goes on with a number at i and gives the byte after it.
func numberEnd(b []byte, i int, p phase) (int, phase, Reason) {
	for ; i < len(b); i++ {
		c := b[i]
		if c-'0' < 10 {
			switch p {
			case numStart, numMinus:
				p = numInt
				if c == '0' {
					p = numZero
				}
			case numZero:
				return i, p, Syntax
			case numDot:
				p = numFraction
			case numE, numSign:
				p = numExponent
			}
			continue
		}
		switch {
		case c == '-' && p == numStart:
			p = numMinus
		case c == '.' && (p == numZero || p == numInt):
			p = numDot
		case c|0x20 == 'e' && (p == numZero || p == numInt || p == numFraction):
			p = numE
		case (c == '-' || c == '+') && p == numE:
			p = numSign
		case p.whole():
			return i, p, 0
		default:
			return i, p, brokenBy(c)
		}
	}
	return i, p, torn
}
