package toolschema

import (
	"slices"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

func tool(schema string) []byte { return []byte(`{"name":"t","inputSchema":` + schema + `}`) }

func properties(members string) []byte {
	return tool(`{"type":"object","properties":{` + members + `}}`)
}

// What an annotation must not be, or not be on, and what the tool is refused for.
func TestInvalidAnnotations(t *testing.T) {
	const mark = `{"type":"string","x-mcp-header":"A"}`
	for name, tc := range map[string]struct{ tool, says string }{
		"empty":             {`"a":{"type":"string","x-mcp-header":""}`, "empty"},
		"number":            {`"a":{"type":"string","x-mcp-header":7}`, "no string"},
		"null":              {`"a":{"type":"string","x-mcp-header":null}`, "no string"},
		"object":            {`"a":{"type":"string","x-mcp-header":{"name":"A"}}`, "no string"},
		"space":             {`"a":{"type":"string","x-mcp-header":"a b"}`, "no name"},
		"colon":             {`"a":{"type":"string","x-mcp-header":"a:b"}`, "no name"},
		"line break":        {`"a":{"type":"string","x-mcp-header":"a\r\nEvil"}`, "no name"},
		"not ASCII":         {`"a":{"type":"string","x-mcp-header":"Región"}`, "no name"},
		"no type":           {`"a":{"x-mcp-header":"A"}`, "neither"},
		"type number":       {`"a":{"type":"number","x-mcp-header":"A"}`, "neither"},
		"type object":       {`"a":{"type":"object","x-mcp-header":"A"}`, "neither"},
		"type array":        {`"a":{"type":"array","x-mcp-header":"A"}`, "neither"},
		"type null":         {`"a":{"type":"null","x-mcp-header":"A"}`, "neither"},
		"types with number": {`"a":{"type":["string","number"],"x-mcp-header":"A"}`, "neither"},
		"no types":          {`"a":{"type":[],"x-mcp-header":"A"}`, "neither"},
		"twice":             {`"a":` + mark + `,"b":` + mark, "twice"},
		"twice, other case": {`"a":` + mark + `,"b":{"type":"string","x-mcp-header":"a"}`, "twice"},
		"twice, nested":     {`"a":` + mark + `,"b":{"type":"object","properties":{"c":` + mark + `}}`, "twice"},
		"member twice":      {`"a":` + mark + `,"a":` + mark, "twice"},
		"items":             {`"a":{"type":"array","items":` + mark + `}`, "plain property"},
		"list of items":     {`"a":{"type":"array","items":[` + mark + `]}`, "plain property"},
		"property of items": {`"a":{"type":"array","items":{"type":"object","properties":{"b":` + mark + `}}}`, "plain property"},
		"prefixItems":       {`"a":{"prefixItems":[true,` + mark + `]}`, "plain property"},
		"anyOf":             {`"a":{"anyOf":[{"type":"null"},` + mark + `]}`, "plain property"},
		"allOf with object": {`"a":{"allOf":[{"properties":{"b":` + mark + `}}]}`, "plain property"},
		"not":               {`"a":{"not":` + mark + `}`, "plain property"},
		"then":              {`"a":{"if":{},"then":` + mark + `}`, "plain property"},
		"additional":        {`"a":{"additionalProperties":` + mark + `}`, "plain property"},
		"patternProperties": {`"a":{"patternProperties":{"^b":` + mark + `}}`, "plain property"},
		"dependencies":      {`"a":{"dependencies":{"b":["c"],"d":` + mark + `}}`, "plain property"},
		"good and bad":      {`"a":` + mark + `,"b":{"type":"number","x-mcp-header":"B"}`, "neither"},
		"escaped keyword":   {`"a":{"type":"number","x\u002dmcp-header":"B"}`, "neither"},
		"too deep":          {strings.Repeat(`"a":{"properties":{`, 40) + `"b":` + mark + strings.Repeat(`}}`, 40), "deep"},
		"too large":         {`"a":` + mark + `,"b":{"description":"` + strings.Repeat("x", maxBytes) + `"}`, "large"},
	} {
		h, err := Read(properties(tc.tool))
		if err == nil || h != nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
	for name, schema := range map[string]string{
		"root":        `{"type":"string","x-mcp-header":"A"}`,
		"$defs":       `{"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":` + mark + `}}`,
		"definitions": `{"definitions":{"A":{"properties":{"b":` + mark + `}}}}`,
		"oneOf":       `{"oneOf":[{"properties":{"a":` + mark + `}}]}`,
	} {
		if h, err := Read(tool(schema)); err == nil || h != nil {
			t.Errorf("%s: %v, %v", name, h, err)
		}
	}
}

// An annotation's name may stand where it means nothing, and tools may have no annotation at all.
func TestNoAnnotations(t *testing.T) {
	for _, raw := range [][]byte{
		[]byte(`{"name":"t"}`), tool(`{}`), tool(`true`), tool(`null`), tool(`{"properties":[]}`), properties(`"a":{"type":"number"}`),
		properties(`"x-mcp-header":{"type":"number"}`),
		properties(`"a":{"default":{"x-mcp-header":""},"enum":[{"x-mcp-header":1}],"const":{"x-mcp-header":1},"examples":[{"x-mcp-header":1}]}`),
		properties(`"a":{"description":"x-mcp-header"},"b":true`),
		properties(`"a":{"required":["x-mcp-header"]}`),
		[]byte(`{"name":"x-mcp-header","inputSchema":{"type":"object"},"outputSchema":{"properties":{"a":{"x-mcp-header":""}}},"_meta":{"x-mcp-header":1}}`),
	} {
		if h, err := Read(raw); h != nil || err != nil || len(h.Of([]byte(`{"a":"b","x-mcp-header":1}`))) != 0 || h.Size() != 0 {
			t.Errorf("%s: %v, %v", raw, h, err)
		}
	}
}

const annotated = `"s":{"type":"string","x-mcp-header":"Region"},"i":{"type":"integer","x-mcp-header":"user-ID"},"n":{"type":["null","boolean"],"x-mcp-header":"Ok"},
	"o":{"type":"object","properties":{"p":{"type":"object","properties":{"deep":{"x\u002Dmcp-header":"!#$%&'*+-.^_|~9","type":"string"}}},"q":{"type":"integer"}}}`

// Values go up as the specification converts them; what has no value has no header.
func TestMirroredValues(t *testing.T) {
	h, err := Read(properties(annotated))
	if err != nil || h.Size() < 100 {
		t.Fatal(h, err)
	}
	for arguments, want := range map[string][]Header{
		`{"s":"us-west1","i":42,"n":true}`: {{"Mcp-Param-Region", "us-west1"}, {"Mcp-Param-User-Id", "42"}, {"Mcp-Param-Ok", "true"}},
		` { "s" : "" , "n" : false } `:     {{"Mcp-Param-Region", ""}, {"Mcp-Param-Ok", "false"}},
		`{"\u0073":" S\u00e3o\n"}`:         {{"Mcp-Param-Region", " São\n"}},
		`{"s":null,"i":null,"o":null}`:     nil,
		`{"s":{"a":1},"i":[1],"o":"p"}`:    nil,
		`{"s":7,"i":"seven"}`:              {{"Mcp-Param-Region", "7"}, {"Mcp-Param-User-Id", "seven"}},
		`{"i":-7}`:                         {{"Mcp-Param-User-Id", "-7"}},
		`{"i":9007199254740993}`:           {{"Mcp-Param-User-Id", "9007199254740993"}},
		`{"i":42.0}`:                       {{"Mcp-Param-User-Id", "42"}},
		`{"i":-1.5e3}`:                     {{"Mcp-Param-User-Id", "-1500"}},
		`{"i":-0}`:                         {{"Mcp-Param-User-Id", "0"}},
		`{"i":1.5}`:                        {{"Mcp-Param-User-Id", "1.5"}},
		`{"i":1e300}`:                      {{"Mcp-Param-User-Id", "1e300"}},
		`{"i":1e400}`:                      {{"Mcp-Param-User-Id", "1e400"}},
		`{"o":{"p":{"deep":"x","s":"no"},"s":"no"},"deep":1}`: {{"Mcp-Param-!#$%&'*+-.^_|~9", "x"}},
		`{"o":{"q":1}}`: nil,
		`{}`:            nil, `[]`: nil, `"s"`: nil, ``: nil,
		`{"s":"a","s":"b","i":1}`:                 nil,
		`{"s":"a","o":{"p":{"deep":1,"deep":2}}}`: {{"Mcp-Param-Region", "a"}},
	} {
		if got := h.Of([]byte(arguments)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", arguments, got, want)
		}
	}
}

// Whatever a server sends as a tool, reading it neither panics nor yields a name that is none.
func FuzzRead(f *testing.F) {
	f.Add(string(properties(annotated)), `{"s":"a","o":{"p":{"deep":"x"}}}`)
	f.Add(`{"inputSchema":{"properties":{"x-mcp-header":{"type":"string","x-mcp-header":"A"}}}}`, `{"x-mcp-header":1e2}`)
	f.Fuzz(func(t *testing.T, raw, arguments string) {
		if wire.Validate([]byte(raw)) != nil || wire.Validate([]byte(arguments)) != nil {
			t.Skip("no JSON")
		}
		h, err := Read([]byte(raw))
		if h != nil && err != nil {
			t.Fatal("both headers and an error")
		}
		for _, header := range h.Of([]byte(arguments)) {
			if !isToken(header.Name) || !strings.HasPrefix(header.Name, Prefix) || header.Name == Prefix {
				t.Fatalf("header %q", header.Name)
			}
		}
	})
}
