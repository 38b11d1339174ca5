package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a peer's text fit for logs and error messages: valid UTF-8, with a
// space for every control character, bidirectional control and line separator, and
// of at most max characters; the last is … when something was cut off.
func Clean(s string, max int) string {
	if len(s) <= max && isPlain(s) {
		return s
	}
	var b strings.Builder
	left := max
	for i, r := range s {
		if left--; left < 0 || left == 0 && i+runeLen(s[i:]) < len(s) {
			if left == 0 {
				b.WriteRune('…')
			}
			break
		}
		if misleads(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isPlain tells a text of printable ASCII characters.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// misleads reports whether r changes how the text around it is read or where a line
// ends.
func misleads(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}
