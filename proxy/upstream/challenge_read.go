package upstream

import "strings"

// readChallenges takes the lines of a WWW-Authenticate header apart. Several lines are one list, in which the commas
// between challenges are also those between parameters: what follows one is a parameter if there is a "=" after its first
// word. Where a line is malformed the rest of it is left out.
func readChallenges(lines []string) []challenge {
	var r challengeReader
	for _, line := range lines[:min(len(lines), maxChallengeLines)] {
		r.rest = line[:min(len(line), maxChallengeLine)]
		for r.element() {
		}
	}
	return r.all
}

type challengeReader struct {
	all  []challenge
	rest string // of the line
	full bool   // the present challenge is one too many
}

// element reads one element of the list; false is the end of the line, or of what can be understood of it.
func (r *challengeReader) element() bool {
	r.rest = strings.TrimLeft(r.rest, ", \t")
	word := r.take(isTokenByte)
	if word == "" {
		return false
	}
	if p, ok := r.param(word); ok {
		return r.add(p)
	}
	r.full = len(r.all) == maxChallenges
	if !r.full {
		r.all = append(r.all, challenge{scheme: word})
	}
	if r.ended() {
		return true
	}
	if r.rest[0] != ' ' && r.rest[0] != '\t' {
		r.drop()
		return false
	}
	r.rest = strings.TrimLeft(r.rest, " \t")
	if token, ok := r.token68(); ok {
		if !r.full {
			r.all[len(r.all)-1].token = token
		}
		return true
	}
	p, ok := r.param(r.take(isTokenByte))
	return ok && r.add(p)
}

// drop gives up the challenge that has just begun: its first word is no scheme.
func (r *challengeReader) drop() {
	if !r.full {
		r.all = r.all[:len(r.all)-1]
	}
}

// add adds a parameter to the present challenge. Of several with the same name the first counts.
func (r *challengeReader) add(p challengeParam) bool {
	if len(r.all) == 0 {
		return false
	}
	c := &r.all[len(r.all)-1]
	if !r.full && len(c.params) < maxChallengeParams && len(p.value) <= maxChallengeValue && c.token == "" && c.param(p.name) < 0 {
		c.params = append(c.params, p)
	}
	return r.ended()
}

// ended tells whether the element is over.
func (r *challengeReader) ended() bool {
	after := strings.TrimLeft(r.rest, " \t")
	return after == "" || after[0] == ','
}

// token68 reads a token such as Negotiate has: it is all there is of its challenge.
func (r *challengeReader) token68() (string, bool) {
	before := r.rest
	token := r.take(func(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("-._~+/", c) >= 0 })
	if token != "" {
		token += r.take(func(c byte) bool { return c == '=' })
		if r.ended() && len(token) <= maxChallengeValue {
			return token, true
		}
	}
	r.rest = before
	return "", false
}

// param reads what comes after the name of a parameter. It takes nothing when that is none.
func (r *challengeReader) param(name string) (p challengeParam, ok bool) {
	after, ok := strings.CutPrefix(strings.TrimLeft(r.rest, " \t"), "=")
	if !ok || name == "" {
		return p, false
	}
	before := r.rest
	r.rest = strings.TrimLeft(after, " \t")
	p = challengeParam{name: name, quoted: strings.HasPrefix(r.rest, `"`)}
	if p.quoted {
		p.value, ok = r.quoted()
	} else {
		p.value = r.take(isTokenByte)
		if ok = p.value != ""; ok && !r.ended() { // such as an URL that should have been quoted
			p.value += r.take(func(c byte) bool { return c > ' ' && c < 0x7f && c != ',' && c != '"' && c != '\\' })
			p.quoted = true
		}
	}
	if !ok {
		r.rest = before
	}
	return p, ok
}

// quoted reads a quoted string.
func (r *challengeReader) quoted() (string, bool) {
	var b strings.Builder
	for i := 1; i < len(r.rest); i++ {
		switch c := r.rest[i]; {
		case c == '"':
			r.rest = r.rest[i+1:]
			return b.String(), true
		case c == '\\' && i+1 < len(r.rest):
			i++
			b.WriteByte(r.rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// take takes the bytes off the rest for which is holds.
func (r *challengeReader) take(is func(byte) bool) string {
	n := 0
	for n < len(r.rest) && is(r.rest[n]) {
		n++
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// isTokenByte is RFC 9110, section 5.6.2.
func isTokenByte(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}
