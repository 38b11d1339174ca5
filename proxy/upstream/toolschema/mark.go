package toolschema

import "bytes"

// keyword is the annotation of a property's schema.
const keyword = "x-mcp-header"

// Marked tells at little cost whether raw JSON may hold an annotation: false is certain.
func Marked(raw []byte) bool {
	return bytes.Contains(raw, []byte(keyword)) || spellsOut(raw)
}

// spellsOut tells whether a character that the keyword is made of is written as an escape somewhere.
func spellsOut(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`\u00`)) {
		return false
	}
	for _, escape := range []string{`\u002d`, `\u002D`, `\u006`, `\u007`} {
		if bytes.Contains(raw, []byte(escape)) {
			return true
		}
	}
	return false
}
