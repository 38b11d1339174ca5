package wire

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHeaderEncoding(t *testing.T) {
	for plain, want := range map[string]string{
		"":                     "",
		"us-west1":             "us-west1",
		"a b\tc":               "a b\tc",
		"Hello, 世界":            "=?base64?SGVsbG8sIOS4lueVjA==?=",
		" padded ":             "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":         "=?base64?bGluZTEKbGluZTI=?=",
		"=?base64?literal?=":   "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=",
		"=?base64?":            "=?base64?",
		"=?BASE64?literal?=":   "=?BASE64?literal?=",
		"=?base64?=":           "=?base64?=",
		"\x7f":                 "=?base64?fw==?=",
		"file:///a%20b?c=d#ef": "file:///a%20b?c=d#ef",
	} {
		if got := EncodeHeader(plain); got != want {
			t.Errorf("EncodeHeader(%q) = %q, want %q", plain, got, want)
		}
		if got, ok := DecodeHeader(want); !ok || got != plain {
			t.Errorf("DecodeHeader(%q) = %q, %v, want %q", want, got, ok, plain)
		}
	}
}

func TestDecodeHeaderIsStrict(t *testing.T) {
	for _, bad := range []string{"=?base64?YQ?=", "=?base64?YR==?=", "=?base64?/w==?=", "=?base64?YQ==\n?=", "=?base64?*?=", "é", " x", "x ", "a\x00b"} {
		if got, ok := DecodeHeader(bad); ok {
			t.Errorf("DecodeHeader(%q) = %q", bad, got)
		}
	}
}

func FuzzHeader(f *testing.F) {
	for _, s := range []string{"", "x", " x", "é", "=?base64?x?=", "=?base64?YQ==?=", "a\tb", "\t", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, v string) {
		encoded := EncodeHeader(v)
		got, ok := DecodeHeader(encoded)
		if valid := utf8.ValidString(v); ok != valid || ok && got != v {
			t.Fatalf("%q -> %q -> %q, %v", v, encoded, got, ok)
		}
		if strings.Trim(encoded, " \t") != encoded || !headerTakes(encoded) {
			t.Fatalf("%q does not survive as a header", encoded)
		}
		if plain, ok := DecodeHeader(v); ok && EncodeHeader(plain) != v && !strings.HasPrefix(v, sentinelStart) {
			t.Fatalf("%q decodes to %q", v, plain)
		}
	})
}

// headerTakes reports whether net/http sends the value.
func headerTakes(v string) bool {
	var b strings.Builder
	err := http.Header{"X": {v}}.Write(&b)
	return err == nil && b.String() == "X: "+v+"\r\n"
}
