package policy

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGlob(t *testing.T) {
	for _, tc := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"a", "a", true},
		{"a", "ab", false},
		{"*", "", true},
		{"*", "file:///a/b", true},
		{"file://*/c", "file:///a/b/c", true},
		{"a*b*c", "aXbXbXc", true},
		{"a*b*c", "aXbXbX", false},
		{"**a", "bba", true},
		{"?", "é", true},
		{"?", "", false},
		{"??", "é", false},
		{"[a-c]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[^a-c]x", "dx", true},
		{"[^a-c]", "", false},
		{`[\]\-]`, "-", true},
		{`\*`, "*", true},
		{`\*`, "a", false},
		{"*.example", "a.b.example", true},
		{"*aab", "aaab", true},
	} {
		g, err := parseGlob(tc.pattern, false)
		if err != nil {
			t.Errorf("%q: %v", tc.pattern, err)
		} else if got := g.match(tc.text); got != tc.want {
			t.Errorf("%q on %q: %v, want %v", tc.pattern, tc.text, got, tc.want)
		}
	}
}

func TestGlobFoldsCase(t *testing.T) {
	for pattern, text := range map[string]string{
		"*delete*": "Please DELETE it",
		"ÉTÉ":      "été",
		"straSSe":  "STRAsse",
		"[a-c]x":   "BX",
		"k":        "\u212a", // the Kelvin sign
		"[k]":      "\u212a",
	} {
		g, err := parseGlob(pattern, true)
		if err != nil || !g.match(text) {
			t.Errorf("%q on %q: no match, %v", pattern, text, err)
		}
	}
	if g, _ := parseGlob("[^a-c]", true); g.match("B") {
		t.Error("[^a-c] takes B")
	}
}

func TestBadGlobs(t *testing.T) {
	for _, pattern := range []string{"dep[", "[]", "[]a]", "[a", "[a-", "[a-]", "[z-a]", `a\`, `[\`, "[^]", "\xff"} {
		if _, err := parseGlob(pattern, false); err == nil {
			t.Errorf("%q is taken", pattern)
		}
	}
}

func TestGlobCovers(t *testing.T) {
	for _, tc := range []struct {
		wide, narrow string
		want         bool
	}{
		{"*", "a", true},
		{"*", "[a-z]?*", true},
		{"a*", "ab*", true},
		{"a*", "ab?d", true},
		{"a*", "a*", true},
		{"a?c", "abc", true},
		{"[ab]", "a", true},
		{"[ab]", "[a]", false}, // true, but not seen
		{"ab*", "a*", false},
		{"a", "a*", false},
		{"*a", "*", false},
	} {
		wide, _ := parseGlob(tc.wide, false)
		narrow, _ := parseGlob(tc.narrow, false)
		if got := wide.covers(narrow); got != tc.want {
			t.Errorf("%q covers %q: %v", tc.wide, tc.narrow, got)
		}
	}
}

// FuzzGlob compares with a regular expression made from the same pattern, and checks what covers says.
func FuzzGlob(f *testing.F) {
	f.Add("a*[b-d]?\\*", "ab", "abcd*", false)
	f.Add("*A*", "b*", "xax", true)
	f.Add("[^x-z\\]]*", "*", "K", true)
	f.Fuzz(func(t *testing.T, pattern, narrower, text string, fold bool) {
		g, err := parseGlob(pattern, fold)
		if err != nil || !utf8.ValidString(text) || len(pattern) > 200 {
			return
		}
		re, err := regexp.Compile(globRegexp(g, fold))
		if err != nil {
			return // more than a regexp takes
		}
		if got, want := g.match(text), re.MatchString(text); got != want {
			t.Fatalf("%q on %q, folded %v: %v, the oracle %s says %v", pattern, text, fold, got, re, want)
		}
		if n, err := parseGlob(narrower, fold); err == nil && g.covers(n) && n.match(text) && !g.match(text) {
			t.Fatalf("%q is said to cover %q, but not on %q", pattern, narrower, text)
		}
	})
}

func globRegexp(g *glob, fold bool) string {
	var b strings.Builder
	b.WriteString(map[bool]string{false: `(?s)^`, true: `(?si)^`}[fold])
	for _, p := range g.parts {
		switch p.kind {
		case globAny:
			b.WriteString(".*")
		case globOne:
			b.WriteString(".")
		case globLiteral:
			b.WriteString(regexp.QuoteMeta(string(p.char)))
		case globClass:
			b.WriteString(map[bool]string{false: `[`, true: `[^`}[p.class.negated])
			for _, r := range p.class.ranges {
				b.WriteString(`\x{` + hex(r[0]) + `}-\x{` + hex(r[1]) + `}`)
			}
			b.WriteString("]")
		}
	}
	return b.String() + "$"
}

func hex(r rune) string {
	const digits = "0123456789abcdef"
	s := ""
	for ; r > 0 || s == ""; r >>= 4 {
		s = string(digits[r&15]) + s
	}
	return s
}
