package answer

import (
	"net/mail"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// formats are those of the MCP page "Elicitation"; any other is an annotation.
var formats = map[string]func(string) bool{
	"email":     isEmail,
	"uri":       isURI,
	"date":      isDate,
	"date-time": isDateTime,
}

// isEmail takes a bare address (RFC 5322 addr-spec), no display name.
func isEmail(s string) bool {
	if strings.ContainsAny(s, "<>") {
		return false
	}
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s
}

// uriText is what RFC 3986 lets stand in a URI at all.
var uriText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$`)

// isURI takes an absolute URI (RFC 3986).
func isURI(s string) bool {
	if !uriText.MatchString(s) || strings.Count(s, "#") > 1 {
		return false
	}
	_, err := url.Parse(s)
	return err == nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// rfc3339 splits a date-time into the date, the time to the second, and the offset.
var rfc3339 = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}:\d{2}))$`)

// isDateTime takes a date-time of RFC 3339, a leap second and small letters included.
func isDateTime(s string) bool {
	m := rfc3339.FindStringSubmatch(s)
	if m == nil || !isDate(m[1]) || m[3] > "60" {
		return false
	}
	for _, clock := range []string{m[2], m[4]} {
		if _, err := time.Parse("15:04", clock); clock != "" && err != nil {
			return false
		}
	}
	return true
}
