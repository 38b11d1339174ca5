package policy

import (
	"encoding/json"
	"strings"
	"testing"
)

// Every problem is told at once, each under its field.
func TestProblems(t *testing.T) {
	for _, tc := range []struct {
		rule string
		want []string // fields, in order
	}{
		{`{"match":{}}`, []string{""}},
		{`{"explode":{}}`, []string{"explode"}},
		{`{"name":"","fail":{}}`, []string{"name"}},
		{`{"name":"a\nb","fail":{}}`, []string{"name"}},
		{`{"match":[],"fail":{}}`, []string{"match"}},
		{`{"match":{"colour":"red"},"fail":{}}`, []string{"match.colour"}},
		{`{"match":{"method":"tools/call"},"fail":{}}`, []string{"match.method"}},
		{`{"match":{"mode":"both"},"fail":{}}`, []string{"match.mode"}},
		{`{"match":{"request":"tools/list"},"fail":{}}`, []string{"match.request"}},
		{`{"match":{"tool":"dep[","client":5,"client_can":"yes","message":"[","fields":"x","only_fields":[1],"url_host":"https://x"},"fail":{}}`,
			[]string{"match.tool", "match.client", "match.client_can", "match.message", "match.fields", "match.only_fields[0]", "match.url_host"}},
		{`{"match":{"tool":"a","prompt":"b"},"fail":{}}`, []string{"match.prompt"}},
		{`{"match":{"request":"prompts/get","tool":"a"},"fail":{}}`, []string{"match.tool"}},
		{`{"match":{"method":"roots/list","mode":"url"},"fail":{}}`, []string{"match.mode"}},
		{`{"match":{"mode":"url","fields":["a"]},"fail":{}}`, []string{"match.fields"}},
		{`{"match":{"mode":"form","url_host":"a"},"fail":{}}`, []string{"match.url_host"}},
		{`{"match":{"method":"roots/list","message":"a"},"fail":{}}`, []string{"match.message"}},
		{`{"match":{"url_host":"a.example:443"},"fail":{}}`, []string{"match.url_host"}},
		{`{"match":{"fields":[]},"fail":{}}`, []string{"match.fields"}},
		{`{"match":{"fields":["a","a"]},"fail":{}}`, []string{"match.fields[1]"}},
		{`{"match":{"method":"roots/list"},"accept":{}}`, []string{"accept"}},
		{`{"match":{"mode":"form"},"roots":[]}`, []string{"roots"}},
		{`{"match":{"method":"elicitation/create"},"reply":{"text":"x"}}`, []string{"reply"}},
		{`{"match":{"mode":"url"},"accept":{}}`, []string{"accept"}},
		{`{"match":{"url_host":"a.example"},"accept":{}}`, []string{"accept"}},
		{`{"match":{"mode":"url","url_host":"a.example"},"accept":{"content":{"a":1}}}`, []string{"accept"}},
		{`{"accept":{"content":[1],"expr":"x","defaults":"yes","more":1}}`, []string{"accept.content", "accept.expr", "accept.defaults", "accept.more"}},
		{`{"accept":{"content":{"a":{"b":1},"c":null,"d":[1],"e":["x"],"f":1e400}}}`, []string{"accept.content.a", "accept.content.c", "accept.content.d"}},
		{`{"accept":{"content":{"a":1},"expr":{"a":"1","b":5}}}`, []string{"accept.expr.b", "accept.expr.a"}},
		{`{"decline":{"why":"x"}}`, []string{"decline.why"}},
		{`{"cancel":7}`, []string{"cancel"}},
		{`{"roots":{}}`, []string{"roots"}},
		{`{"roots":[{"uri":"http://x"},{"name":"w"},{"uri":"file:///w","name":5},7,{"uri":"file:///w","size":1}]}`,
			[]string{"roots[0].uri", "roots[1]", "roots[2].name", "roots[3]", "roots[3]", "roots[4].size"}},
		{`{"reply":{"model":"m"}}`, []string{"reply"}},
		{`{"reply":{"text":1}}`, []string{"reply.text"}},
		{`{"forward":{"timeout":"soon"}}`, []string{"forward.timeout"}},
		{`{"forward":{"timeout":"-1s"}}`, []string{"forward.timeout"}},
		{`{"forward":{"timeout":5}}`, []string{"forward.timeout"}},
		{`{"fail":{"message":1,"code":2}}`, []string{"fail.message", "fail.code"}},
		{`{"webhook":{}}`, []string{"webhook.url", "webhook"}},
	} {
		set, problems := Compile(specs(t, tc.rule), map[string]ActionParser{"webhook": parseHook})
		var got []string
		for _, p := range problems {
			got = append(got, p.Field)
			if p.Rule != 0 || p.Message == "" {
				t.Errorf("%s: problem %+v", tc.rule, p)
			}
		}
		if set != nil || strings.Join(got, " ") != strings.Join(tc.want, " ") || len(got) != len(tc.want) {
			t.Errorf("%s: %+v, want fields %q", tc.rule, problems, tc.want)
		}
	}
}

func TestProblemsOfAllRules(t *testing.T) {
	_, problems := Compile(specs(t, `{"fail":{"x":1}}`, `{"forward":{}}`, `{"name":"r1","forward":{}}`, `{"name":"r1"}`), nil)
	var rules []int
	for _, p := range problems {
		rules = append(rules, p.Rule)
	}
	if len(rules) != 4 || rules[0] != 0 || rules[1] != 2 || rules[2] != 3 || rules[3] != 3 {
		t.Errorf("problems of rules %v: %+v", rules, problems)
	}
}

func TestRepeatedKeysInARule(t *testing.T) {
	spec := Spec{Name: "a", Match: json.RawMessage(`{"mode":"form","mode":"url"}`), Action: "fail"}
	if _, problems := Compile([]Spec{spec}, nil); len(problems) == 0 || problems[0].Field != "match" {
		t.Errorf("problems %+v", problems)
	}
}

func TestActions(t *testing.T) {
	set := compiled(t,
		`{"reply":{"text":"no","model":"m"}}`,
		`{"reply":{"text":""}}`,
		`{"forward":{"timeout":"1m30s"}}`,
		`{"fail":null}`,
		`{"fail":{"message":"not here"}}`,
		`{"webhook":{"url":"https://desk.example"}}`,
		`{"roots":[{"uri":"file:///w","name":"w"}]}`,
		`{"decline":true}`,
	)
	get := func(i int) Action { return set.Rules()[i].Action }
	if r := get(0).(*Reply); r.Text != "no" || r.Model != "m" {
		t.Errorf("%+v", r)
	}
	if r := get(1).(*Reply); r.Model != DefaultModel {
		t.Errorf("%+v", r)
	}
	if f := get(2).(*Forward); f.Timeout.Seconds() != 90 {
		t.Errorf("%+v", f)
	}
	if f, g := get(3).(*Fail), get(4).(*Fail); f.Message == "" || g.Message != "not here" {
		t.Errorf("%+v, %+v", f, g)
	}
	if e := get(5).(*Extra); e.Parsed != "https://desk.example" || e.Verb() != "webhook" {
		t.Errorf("%+v", e)
	}
	if r := get(6).(*Roots); string(r.List) != `[{"uri":"file:///w","name":"w"}]` {
		t.Errorf("%s", r.List)
	}
	for i, verb := range []string{"reply", "reply", "forward", "fail", "fail", "webhook", "roots", "decline"} {
		if get(i).Verb() != verb {
			t.Errorf("verb %q, want %q", get(i).Verb(), verb)
		}
	}
}
