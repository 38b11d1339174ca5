package modern

import (
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

func TestEffectiveCapabilities(t *testing.T) {
	const form, url, sampling, roots = wire.CanForm, wire.CanURL, wire.CanSampling, wire.CanRoots
	for _, tc := range []struct {
		name, own string
		declared  wire.Can
		want      string // "" is the client's own bytes
	}{
		{"nothing to change", `{ "elicitation" : { } , "x":[1.0] }`, form, ""},
		{"nothing at all", `{}`, 0, ""},
		{"rules add a kind", `{"x":[1.0]}`, roots, `{"x":[1.0],"roots":{}}`},
		{"rules add links", `{"elicitation":{},"x":1}`, form | url, `{"elicitation":{"form":{},"url":{}},"x":1}`},
		{"a rule refuses all of a kind", `{"sampling":{},"elicitation":{}}`, form, `{"elicitation":{}}`},
		{"no tasks", `{"tasks":{"list":{}},"extensions":{"io.modelcontextprotocol/tasks":{},"y":{}}}`, 0, `{"extensions":{"y":{}}}`},
		{"other extensions", `{"extensions":{"y":{}}}`, 0, ""},
		{"malformed is not declared", `{"elicitation":true,"sampling":{"tools":1}}`, sampling, `{"sampling":{}}`},
		{"roots have nothing inside", `{"roots":{"listChanged":true}}`, roots, `{"roots":{}}`},
		{"an escaped name", `{"\u0074asks":{},"elicit\u0061tion":{}}`, form, `{"elicit\u0061tion":{}}`},
	} {
		table := newDeclarations()
		for range 2 { // read, and remembered
			if got := string(table.read([]byte(tc.own)).as(tc.declared)); got != tc.want {
				t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
			}
		}
	}
}

func TestDiscovery(t *testing.T) {
	for _, tc := range []struct{ result, want string }{
		{`{"supportedVersions": [ "2026-07-28" ],"capabilities":{"tools":{}}}`, ""},
		{`{"supportedVersions":["2027-01-01","2026-07-28","2025-11-25"],"capabilities":{ },"x":1.0}`, `{"supportedVersions":["2026-07-28"],"capabilities":{ },"x":1.0}`},
		{`{"supportedVersions":["2027-01-01"]}`, `{"supportedVersions":[]}`},
		{`{"supportedVersions":["2026-07-28"],"capabilities":{"tasks":{},"tools":{"a":1},"extensions":{"io.modelcontextprotocol/tasks":{},"y":{}}}}`,
			`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"a":1},"extensions":{"y":{}}}}`},
	} {
		if got := string(discovery([]byte(tc.result))); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.result, got, tc.want)
		}
	}
}
