package wire

import (
	"bytes"
	"unicode/utf8"
)

// Unquote decodes a JSON string. It is false when raw is none. An escaped surrogate
// without its partner becomes U+FFFD.
func Unquote(raw []byte) (string, bool) {
	end, reason, escaped := 0, Truncated, false
	if len(raw) > 1 && raw[0] == '"' {
		end, reason, escaped = stringEnd(raw, 1)
	}
	if reason != 0 || end != len(raw) {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	if !escaped {
		return string(raw), true
	}
	out := make([]byte, 0, len(raw))
	for {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			return string(append(out, raw...)), true
		}
		out = append(out, raw[:n]...)
		r, size := escapedRune(raw[n:])
		out = utf8.AppendRune(out, r) // a surrogate becomes U+FFFD
		raw = raw[n+size:]
	}
}

// escapedRune decodes the valid escape that raw starts with: a rune, or half a
// surrogate pair that lacks its other half. size is the length of the escape, or of
// the two of a pair.
func escapedRune(raw []byte) (r rune, size int) {
	switch c := raw[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
	default:
		return rune(c), 2
	}
	r = hex4(raw[2:6])
	if r>>10 == 0xd800>>10 && len(raw) >= 12 && raw[6] == '\\' && raw[7] == 'u' {
		if low := hex4(raw[8:12]); low>>10 == 0xdc00>>10 {
			return 0x10000 + (r&0x3ff)<<10 + low&0x3ff, 12
		}
	}
	return r, 6
}

func hex4(b []byte) (r rune) {
	for _, c := range b[:4] {
		d := c - '0'
		if d > 9 {
			d = c | 0x20 - 'a' + 10
		}
		r = r<<4 | rune(d)
	}
	return r
}

// appendHalf appends a rune as UTF-8, and half a surrogate pair the same way, so that
// different halves stay different.
func appendHalf(dst []byte, r rune) []byte {
	if r>>11 != 0xd800>>11 {
		return utf8.AppendRune(dst, r)
	}
	return append(dst, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
}

// AppendQuoted appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[from:i]...), "\ufffd"...)
				from = i + 1
			}
			i += size
			continue
		}
		i++
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i-1]...)
		from = i
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}
