package upstream

import (
	"net/http"
	"slices"
	"strings"
)

// The headers a challenge comes in. One gateway renames the header of the servers behind it, which says the same then.
const (
	headerChallenge = "Www-Authenticate"
	headerRemapped  = "X-Amzn-Remapped-Www-Authenticate"
)

// paramMetadata is the parameter that leads to a protected-resource metadata document (RFC 9728, section 5.1).
const paramMetadata = "resource_metadata"

// What is read of a server's challenges. Beyond these bounds they are cut.
const (
	maxChallenges      = 8
	maxChallengeParams = 16
	maxChallengeLines  = 16
	maxChallengeLine   = 8 << 10 // bytes
	maxChallengeValue  = 2 << 10 // bytes of a parameter, which is left out if it is longer
)

// challengeOf gives the lines of the header in which a server challenges, as they came.
func challengeOf(h http.Header) []string {
	if lines := h[headerChallenge]; len(lines) > 0 {
		return lines
	}
	return h[headerRemapped]
}

// Challenges are the challenges of a refused credential in the form that a client can follow: where they lead to the
// server's protected-resource metadata they lead to metadata, the URL of the proxy's own, and nowhere when that is empty.
// With metadata a 401 always has a challenge that leads there. Each is a valid header value.
func (e *Error) Challenges(metadata string) []string {
	return rewriteChallenges(e.Challenge, e.Status, metadata)
}

func rewriteChallenges(lines []string, status int, metadata string) []string {
	all := readChallenges(lines)
	led, bearer := false, -1
	for i := range all {
		all[i].lead(metadata)
		led = led || all[i].param(paramMetadata) >= 0
		if bearer < 0 && strings.EqualFold(all[i].scheme, "Bearer") {
			bearer = i
		}
	}
	if metadata != "" && !led {
		if bearer < 0 && status == http.StatusUnauthorized {
			bearer, all = len(all), append(all, challenge{scheme: "Bearer"})
		}
		if bearer >= 0 {
			all[bearer].params = append(all[bearer].params, challengeParam{paramMetadata, metadata, true})
		}
	}
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].String()
	}
	return out
}

// challenge is one of those in a WWW-Authenticate header (RFC 9110, section 11.6.1): a scheme with a token or parameters.
type challenge struct {
	scheme string
	token  string // a token68; "" when there are parameters or nothing
	params []challengeParam
}

type challengeParam struct {
	name, value string
	quoted      bool // some schemes tell a token from a string
}

// lead makes the challenge lead to metadata, or nowhere, and takes out what else tells the server's own URL as a resource.
func (c *challenge) lead(metadata string) {
	c.params = slices.DeleteFunc(c.params, func(p challengeParam) bool {
		if strings.EqualFold(p.name, paramMetadata) {
			return metadata == ""
		}
		return strings.EqualFold(p.name, "resource") || strings.Contains(p.value, wellKnownResource)
	})
	if i := c.param(paramMetadata); i >= 0 {
		c.params[i] = challengeParam{paramMetadata, metadata, true}
	}
}

// param is where a parameter is, or -1.
func (c *challenge) param(name string) int {
	return slices.IndexFunc(c.params, func(p challengeParam) bool { return strings.EqualFold(p.name, name) })
}

// String writes the challenge as a header value.
func (c *challenge) String() string {
	var b strings.Builder
	b.WriteString(c.scheme)
	if c.token != "" {
		b.WriteString(" " + c.token)
	}
	for i, p := range c.params {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + p.name + "=")
		if !p.quoted {
			b.WriteString(p.value)
			continue
		}
		b.WriteByte('"')
		for _, r := range p.value {
			switch {
			case r < ' ' || r == 0x7f:
				r = ' '
			case r > 0x7f: // no encoding is agreed on for it
				r = '?'
			case r == '"' || r == '\\':
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		b.WriteByte('"')
	}
	return b.String()
}
