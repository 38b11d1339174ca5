package policy

// Pattern is a pattern over a whole name, as tool, prompt, resource and client have in a match: "*" is
// any run of characters, "?" any one, "[a-z]" one of a class. The zero value matches nothing.
type Pattern struct{ glob *glob }

// ParsePattern compiles a pattern.
func ParsePattern(text string) (Pattern, error) {
	g, err := parseGlob(text, false)
	return Pattern{g}, err
}

// Match reports whether the name fits.
func (p Pattern) Match(name string) bool { return p.glob != nil && p.glob.match(name) }

// String is the pattern as it was written.
func (p Pattern) String() string {
	if p.glob == nil {
		return ""
	}
	return p.glob.source
}
