package policy

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"
)

// glob is a compiled pattern over a whole text. "*" is any run of characters, also none and also
// across "/": names and URIs hold slashes. "?" is one character, "[a-z]" one of a class, "[^a-z]"
// one outside it; a backslash takes the next character literally.
type glob struct {
	source string
	fold   bool   // letters match whatever their case
	prefix string // bytes every match begins with; "" when folding
	parts  []globPart
}

type globPart struct {
	kind  globKind
	char  rune // of a literal
	class *runeClass
}

type globKind uint8

const (
	globLiteral globKind = iota
	globOne
	globClass
	globAny
)

// runeClass is what stands between square brackets.
type runeClass struct {
	negated bool
	ranges  [][2]rune
}

// parseGlob compiles a pattern.
func parseGlob(pattern string, fold bool) (*glob, error) {
	if !utf8.ValidString(pattern) {
		return nil, errors.New("bad pattern: not valid UTF-8")
	}
	g := &glob{source: pattern, fold: fold}
	for rest := pattern; rest != ""; {
		part, n, err := parseGlobPart(rest, fold)
		if err != nil {
			return nil, err
		}
		rest = rest[n:]
		if last := len(g.parts) - 1; part.kind == globAny && last >= 0 && g.parts[last].kind == globAny {
			continue // "**" is "*"
		}
		g.parts = append(g.parts, part)
	}
	if !fold {
		g.prefix = g.literal()
	}
	return g, nil
}

// parseGlobPart reads one part and says how many bytes it took.
func parseGlobPart(s string, fold bool) (globPart, int, error) {
	switch s[0] {
	case '*':
		return globPart{kind: globAny}, 1, nil
	case '?':
		return globPart{kind: globOne}, 1, nil
	case '[':
		return parseClass(s)
	}
	r, n, err := patternRune(s)
	if fold {
		r = foldRune(r)
	}
	return globPart{char: r}, n, err
}

// patternRune reads one character, a backslash taken off.
func patternRune(s string) (rune, int, error) {
	escaped := 0
	if strings.HasPrefix(s, `\`) {
		escaped = 1
	}
	if len(s) == escaped {
		return 0, 0, errors.New(`bad pattern: nothing follows the last "\"`)
	}
	r, n := utf8.DecodeRuneInString(s[escaped:])
	return r, n + escaped, nil
}

func parseClass(s string) (globPart, int, error) {
	c := &runeClass{}
	at := 1
	if strings.HasPrefix(s[at:], "^") {
		c.negated = true
		at++
	}
	for {
		if at >= len(s) {
			return globPart{}, 0, errors.New(`bad pattern: "[" without "]"`)
		}
		if s[at] == ']' && len(c.ranges) > 0 {
			return globPart{kind: globClass, class: c}, at + 1, nil
		}
		lo, hi, n, err := parseRange(s[at:])
		if err != nil {
			return globPart{}, 0, err
		}
		c.ranges = append(c.ranges, [2]rune{lo, hi})
		at += n
	}
}

// parseRange reads "a" or "a-z" inside a class.
func parseRange(s string) (lo, hi rune, n int, err error) {
	if s[0] == ']' || s[0] == '-' {
		return 0, 0, 0, errors.New(`bad pattern: "]" or "-" in a class needs a "\" before it`)
	}
	lo, n, err = patternRune(s)
	if err != nil || n >= len(s) || s[n] != '-' {
		return lo, lo, n, err
	}
	n++
	if n >= len(s) || s[n] == ']' {
		return 0, 0, 0, errors.New(`bad pattern: a range without an end`)
	}
	hi, m, err := patternRune(s[n:])
	if err == nil && hi < lo {
		err = errors.New("bad pattern: a range that runs backwards")
	}
	return lo, hi, n + m, err
}

// match reports whether the whole text fits. Its cost is bounded by len(pattern) × len(text).
func (g *glob) match(text string) bool {
	if !strings.HasPrefix(text, g.prefix) {
		return false
	}
	part, at := 0, 0
	star, resume := -1, 0 // where to go on when a literal run does not fit after the last "*"
	for at < len(text) {
		r, n := utf8.DecodeRuneInString(text[at:])
		switch {
		case part < len(g.parts) && g.parts[part].kind == globAny:
			star, resume = part, at
			part++
		case part < len(g.parts) && g.parts[part].takes(r, g.fold):
			part++
			at += n
		case star >= 0:
			_, skip := utf8.DecodeRuneInString(text[resume:])
			resume += skip
			part, at = star+1, resume
		default:
			return false
		}
	}
	for part < len(g.parts) && g.parts[part].kind == globAny {
		part++
	}
	return part == len(g.parts)
}

func (p *globPart) takes(r rune, fold bool) bool {
	switch p.kind {
	case globOne:
		return true
	case globClass:
		return p.class.has(r, fold)
	}
	return r == p.char || fold && foldRune(r) == p.char
}

func (c *runeClass) has(r rune, fold bool) bool {
	in := c.inRanges(r)
	for o := unicode.SimpleFold(r); fold && !in && o != r; o = unicode.SimpleFold(o) {
		in = c.inRanges(o)
	}
	return in != c.negated
}

func (c *runeClass) inRanges(r rune) bool {
	for _, b := range c.ranges {
		if b[0] <= r && r <= b[1] {
			return true
		}
	}
	return false
}

// foldRune gives all cases of a letter one form.
func foldRune(r rune) rune {
	least := r
	if r >= utf8.RuneSelf {
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// literal is the part of the pattern before its first wildcard.
func (g *glob) literal() string {
	var b strings.Builder
	for _, p := range g.parts {
		if p.kind != globLiteral {
			break
		}
		b.WriteRune(p.char)
	}
	return b.String()
}

// covers reports, erring to false, whether g fits every text that other fits.
func (g *glob) covers(other *glob) bool {
	if g.fold != other.fold {
		return false
	}
	if g.source == other.source {
		return true
	}
	lead := other.literal()
	if n := len(g.parts); n > 0 && g.parts[n-1].kind == globAny {
		// "ab*" fits whatever begins with "ab".
		if own := g.literal(); len([]rune(own)) == n-1 && strings.HasPrefix(lead, own) {
			return true
		}
	}
	return len([]rune(lead)) == len(other.parts) && g.match(lead)
}
