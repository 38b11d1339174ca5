package legacy

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Every row gives params and what each revision makes of them: "" is what stands
// before it, "=" the params themselves, "!" that the revision has no form.
func TestDowngrade(t *testing.T) {
	for _, c := range []struct {
		name    string
		kind    wire.AskKind
		params  string
		v202511 string
		v202506 string
		v202411 string
	}{
		{"a form", wire.ElicitationForm, `{"mode":"form","message":"m","requestedSchema":{"$schema":"s","type":"object","properties":{"a":{"type":"string"}}}}`,
			"=", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`, ""},
		{"a form without a schema", wire.ElicitationForm, `{"message":"m"}`,
			`{"message":"m","requestedSchema":{"type":"object","properties":{}}}`, "", ""},
		{"titled choices", wire.ElicitationForm, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y"}],"default":"x"}}}}`,
			"=", `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":"x","enum":["x","y"],"enumNames":["X","y"]}}}}`, ""},
		{"choices that are more than constants", wire.ElicitationForm, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"oneOf":[{"const":"x"},{"type":"string"}]}}}}`, "=", "=", "="},
		{"choices beside an enum", wire.ElicitationForm, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"enum":["x"],"oneOf":[{"const":"x"}]}}}}`, "=", "=", "="},
		{"several values", wire.ElicitationForm, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["x"]}}}}}`, "=", "!", "!"},
		{"unknown members and odd bytes", wire.ElicitationForm, `{"x":1e400,"message":"\u0041\ud800","requestedSchema":{"type":"object","properties":{},"y":9007199254740993}}`, "=", "=", "="},
		{"a sampling of one block", wire.Sampling, `{"messages":[{"role":"user","content":[{"type":"text","text":"t"}]}],"maxTokens":1}`,
			"=", `{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1}`, ""},
		{"of a block that is no array", wire.Sampling, `{"messages":[{"role":"user","content":{"type":"text","text":"t"}}],"maxTokens":1}`, "=", "=", "="},
		{"of two blocks", wire.Sampling, `{"messages":[{"role":"user","content":[{"type":"text","text":"t"},{"type":"text","text":"u"}]}],"maxTokens":1}`, "=", "!", "!"},
		{"of no block", wire.Sampling, `{"messages":[{"role":"user","content":[]}],"maxTokens":1}`, "=", "!", "!"},
		{"with tools", wire.Sampling, `{"messages":[],"maxTokens":1,"tools":[]}`, "=", "!", "!"},
		{"with tools null", wire.Sampling, `{"messages":[],"maxTokens":1,"tools":null}`, "=", `{"messages":[],"maxTokens":1}`, ""},
		{"of a tool's result", wire.Sampling, `{"messages":[{"role":"user","content":{"type":"tool_result","toolUseId":"1"}}],"maxTokens":1}`, "=", "!", "!"},
		{"of sound", wire.Sampling, `{"messages":[{"role":"user","content":{"type":"audio","data":"","mimeType":"audio/wav"}}],"maxTokens":1}`, "=", "=", "!"},
		{"roots", wire.Roots, `{"_meta":{}}`, "=", "=", "="},
	} {
		want := c.params
		for version, row := range []string{c.v202511, c.v202506, c.v202411} {
			v := []wire.Version{wire.V20251125, wire.V20250618, wire.V20241105}[version]
			if row == "=" {
				want = c.params
			} else if row != "" {
				want = row
			}
			got, err := downgrade(resolver.Ask{Kind: c.kind, Params: json.RawMessage(c.params)}, v)
			if _, inexpressible := errors.AsType[*answer.Inexpressible](err); inexpressible != (want == "!") {
				t.Errorf("%s, %s: error %v", c.name, v, err)
			} else if want != "!" && string(got) != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", c.name, v, got, want)
			}
		}
	}
	if got, err := downgrade(resolver.Ask{Kind: wire.Roots}, wire.V20241105); got != nil || err != nil {
		t.Errorf("no params: %s %v", got, err)
	}
}

func TestALinkGetsAnIDOfItsOwn(t *testing.T) {
	uuid := regexp.MustCompile(`^\{"mode":"url","url":"https://x.example","elicitationId":"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"\}$`)
	seen := map[string]bool{}
	for _, params := range []string{`{"mode":"url","url":"https://x.example"}`, `{"elicitationId":"theirs","mode":"url","url":"https://x.example"}`} {
		got, err := downgrade(resolver.Ask{Kind: wire.ElicitationURL, Params: json.RawMessage(params)}, wire.V20250618)
		if err != nil || !uuid.Match(got) || seen[string(got)] {
			t.Errorf("%s %v", got, err)
		}
		seen[string(got)] = true
	}
}

func scan(t *testing.T, msg string) *wire.Scanner {
	t.Helper()
	var s wire.Scanner
	s.Init(wire.FromServer, nil)
	if err := s.Feed([]byte(msg)); err != nil || s.End() != nil {
		t.Fatalf("%s: %v", msg, err)
	}
	return &s
}

func resultOf(t *testing.T, r string) *wire.Scanner {
	return scan(t, `{"jsonrpc":"2.0","id":1,"result":`+r+`}`)
}

func TestDowngradeToolResult(t *testing.T) {
	for _, c := range []struct{ name, result, want string }{
		{"nothing to do", `{"resultType":"complete","content":[],"structuredContent":{"a":1}}`, `{"content":[],"structuredContent":{"a":1}}`},
		{"an array", `{"content":[],"structuredContent":[1, 2]}`, `{"content":[],"structuredContent":{"result":[1, 2]}}`},
		{"a string", `{"structuredContent":"\u0041","content":[]}`, `{"structuredContent":{"result":"\u0041"},"content":[]}`},
		{"a large number", `{"structuredContent":9007199254740993,"content":[],"x":1}`, `{"structuredContent":{"result":9007199254740993},"content":[],"x":1}`},
		{"null", `{"structuredContent":null,"content":[]}`, `{"structuredContent":{"result":null},"content":[]}`},
		{"no content", `{"resultType":"complete","isError":true}`, `{"isError":true,"content":[]}`},
		{"content null", `{"content":null,"ttlMs":1,"cacheScope":"public"}`, `{"content":[]}`},
		{"all of it", `{"_meta":{"a":1},"content":null,"structuredContent":false,"resultType":"complete"}`, `{"_meta":{"a":1},"structuredContent":{"result":false},"content":[]}`},
	} {
		m := resultOf(t, c.result)
		got := string(downgradeToolResult(m))
		if got == "" { // the scanner does the rest
			got = string(wire.Get(m.AppendReply(nil, []byte("1")), "result"))
		}
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestDowngradeToolList(t *testing.T) {
	for _, c := range []struct{ name, tool, want string }{
		{"nothing to do", `{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"string"}},"additionalProperties":false},"outputSchema":{"type":"object"}}`, ""},
		{"boolean properties", `{"name":"a","inputSchema":{"properties":{"x":true,"y":false,"z":{"const":true}}}}`,
			`{"name":"a","inputSchema":{"properties":{"x":{},"y":{"not":{}},"z":{"const":true}}}}`},
		{"an array of output", `{"name":"a","outputSchema":{"type":"array","items":{"$ref":"#/$defs/i"},"$defs":{"i":{"$ref":"#"}}},"inputSchema":{}}`,
			`{"name":"a","outputSchema":{"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/properties/result/$defs/i"},"$defs":{"i":{"$ref":"#/properties/result"}}}},"required":["result"]},"inputSchema":{}}`},
		{"references to elsewhere", `{"name":"a","outputSchema":{"anyOf":[{"$ref":"https://x.example/s"},{"$ref":"#anchor"}]}}`,
			`{"name":"a","outputSchema":{"type":"object","properties":{"result":{"anyOf":[{"$ref":"https://x.example/s"},{"$ref":"#anchor"}]}},"required":["result"]}}`},
		{"two types of output", `{"name":"a","outputSchema":{"type":["object","null"]}}`, `{"name":"a","outputSchema":{"type":"object","properties":{"result":{"type":["object","null"]}},"required":["result"]}}`},
		{"any output", `{"name":"a","outputSchema":true}`, `{"name":"a","outputSchema":{"type":"object","properties":{"result":true},"required":["result"]}}`},
		{"tools that are none", `7`, ""},
	} {
		want := c.want
		if want != "" {
			want = `{"tools":[{"name":"first"},` + want + `],"nextCursor":""}`
		}
		list := `{"resultType":"complete","tools":[{"name":"first"},` + c.tool + `],"nextCursor":"","ttlMs":5}`
		if got := string(downgradeToolList(resultOf(t, list))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, want)
		}
	}
}

// White space that goes and members that come may add up to the same length: the list
// has changed all the same.
func TestAToolListMayChangeAndKeepItsLength(t *testing.T) {
	for name, tool := range map[string]string{"output": `{"name":"a",%s"outputSchema":{"type":"array"}}`, "input": `{"name":"a","inputSchema":{%s"properties":{"x":false}}}`} {
		missed := 0
		for spaces := range 120 {
			list := fmt.Sprintf(`{"tools":[`+tool+`]}`, strings.Repeat(" ", spaces))
			if downgradeToolList(resultOf(t, list)) == nil {
				missed++
			}
		}
		if missed > 0 {
			t.Errorf("%s: %d of 120 lists pass unchanged", name, missed)
		}
	}
}

func TestProgressIncreasesOverAWholeRequest(t *testing.T) {
	p := &progress{token: []byte(`"mine"`)}
	for _, step := range []struct {
		token, progress, want string
	}{
		{"1", "0", "0"}, {"1", "0.5", "0.5"}, {"1", "0.5", ""}, {"1", "0.4", ""}, {"1", "12", "12"},
		{"2", "0", ""}, {"2", "1", "13"}, {"2", "1.5", "13.5"}, {"2", "-3", ""},
		{"3", "0.25", "13.75"}, {"3", "1e400", ""}, {"3", "1e3", "1013.5"},
	} {
		m := scan(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+step.token+`,"progress":`+step.progress+`,"total":20,"message":"\u0041"}}`)
		got := p.translate(m)
		if (got == nil) != (step.want == "") {
			t.Errorf("token %s, %s: %s", step.token, step.progress, got)
			continue
		}
		if got == nil {
			continue
		}
		params := wire.Get(got, "params")
		if value := string(wire.Get(params, "progress")); value != step.want || string(wire.Get(params, "progressToken")) != `"mine"` || string(wire.Get(params, "message")) != `"\u0041"` {
			t.Errorf("token %s, %s: %s, want %s", step.token, step.progress, got, step.want)
		}
	}
	if got := (&progress{}).translate(scan(t, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)); got != nil {
		t.Errorf("without a token: %s", got)
	}
}
