package wire

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// What marks an encoded header value (Streamable HTTP, Value Encoding).
const (
	sentinelStart = "=?base64?"
	sentinelEnd   = "?="
)

// EncodeHeader makes v fit for a header: as it is, or in Base64 between the sentinel
// marks when it holds anything but visible ASCII, spaces and tabs, has white space at
// an edge or looks encoded itself.
func EncodeHeader(v string) string {
	if isPlainHeader(v) && !looksEncoded(v) {
		return v
	}
	return sentinelStart + base64.StdEncoding.EncodeToString([]byte(v)) + sentinelEnd
}

// DecodeHeader undoes EncodeHeader. It is false for Base64 that is not canonical, for
// what decodes to invalid UTF-8, and for a plain value that has to be encoded.
func DecodeHeader(v string) (string, bool) {
	if !looksEncoded(v) {
		return v, isPlainHeader(v)
	}
	text := v[len(sentinelStart) : len(v)-len(sentinelEnd)]
	if strings.ContainsAny(text, "\r\n") { // which the decoder skips
		return "", false
	}
	plain, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || !utf8.Valid(plain) {
		return "", false
	}
	return string(plain), true
}

// looksEncoded reports whether v has both marks, without overlap.
func looksEncoded(v string) bool {
	return len(v) >= len(sentinelStart)+len(sentinelEnd) &&
		strings.HasPrefix(v, sentinelStart) && strings.HasSuffix(v, sentinelEnd)
}

func isPlainHeader(v string) bool {
	for i := range len(v) {
		edge := i == 0 || i == len(v)-1
		if c := v[i]; c > 0x7e || c < 0x20 && c != '\t' || edge && c <= ' ' {
			return false
		}
	}
	return true
}
