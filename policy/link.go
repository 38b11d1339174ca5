package policy

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// LinkProblem says why a link must not be consented to nor shown to anyone; "" when it is good: https
// (http for loopback), without user info, control or white-space characters or a backslash, and with a
// host that every reader of the link understands alike.
func LinkProblem(link string) string {
	_, problem := linkHost(link)
	return problem
}

// linkHost gives the host of a good link in lower case, without port or brackets; "" with a problem.
func linkHost(link string) (host, problem string) {
	if problem := linkCharacters(link); problem != "" {
		return "", problem
	}
	scheme, rest, ok := strings.Cut(link, "://")
	if !ok {
		return "", "it is no https link"
	}
	scheme = strings.ToLower(scheme)
	if scheme != "https" && scheme != "http" {
		return "", "it is no https link"
	}
	if _, err := url.Parse(link); err != nil {
		return "", "it is no valid URL"
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if strings.Contains(authority, "@") {
		return "", "it has user info"
	}
	host, loopback, ok := clearHost(strings.ToLower(authority))
	if !ok {
		return "", "it has no clear host"
	}
	if scheme == "http" && !loopback {
		return "", "it is not https"
	}
	return host, ""
}

// linkCharacters finds what readers of a link drop, rewrite or cannot show.
func linkCharacters(link string) string {
	if !utf8.ValidString(link) {
		return "it is not valid UTF-8"
	}
	for _, r := range link {
		switch {
		case r == '\\':
			return "it has a backslash"
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
			return "it has control characters"
		case unicode.IsSpace(r):
			return "it has white space"
		}
	}
	return ""
}

// clearHost takes the port off and refuses hosts that browsers and parsers read differently: other
// alphabets (their ASCII form passes), escapes, empty labels, numbers that are no canonical address.
func clearHost(authority string) (host string, loopback, ok bool) {
	host = authority
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		if _, err := strconv.ParseUint(authority[i+1:], 10, 16); err != nil {
			return "", false, false
		}
		host = authority[:i]
	}
	if inner, found := strings.CutPrefix(host, "["); found {
		inner, closed := strings.CutSuffix(inner, "]")
		addr, err := netip.ParseAddr(inner)
		if !closed || err != nil || !addr.Is6() || addr.Zone() != "" {
			return "", false, false
		}
		return addr.String(), addr.Unmap().IsLoopback(), true
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Is4() {
		return addr.String(), addr.IsLoopback(), true
	}
	if !clearName(host) {
		return "", false, false
	}
	return host, host == "localhost" || strings.HasSuffix(host, ".localhost"), true
}

func clearName(host string) bool {
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	// Browsers take a last label that is a number for an IPv4 address of some form: 127.1, 0x7f000001.
	last := labels[len(labels)-1]
	number := strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
	return len(host) <= 253 && !number
}
