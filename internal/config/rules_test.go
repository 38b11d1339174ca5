package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// content is the accept.content of the only rule of a file, as policy gets it.
func content(t *testing.T, yaml string) string {
	t.Helper()
	c := parsed(t, good+"policy:\n  rules:\n    - name: x\n      match: {method: elicitation/create, mode: form}\n      accept:\n        content: "+yaml+"\n", Options{})
	var args struct{ Content json.RawMessage }
	if err := json.Unmarshal(c.Policy.Rules[0].Args, &args); err != nil {
		t.Fatal(err)
	}
	return string(args.Content)
}

func TestValuesInRulesAreKeptAsTheyWereWritten(t *testing.T) {
	for yaml, want := range map[string]string{
		"12345678901234567890": "12345678901234567890",
		"1e400":                "1e400",
		"-0.10":                "-0.10",
		"8080.0":               "8080.0",
		"0777":                 `"0777"`,
		"0x1F":                 `"0x1F"`,
		"0o17":                 `"0o17"`,
		"1_000":                `"1_000"`,
		"+1":                   `"+1"`,
		".5":                   `".5"`,
		".inf":                 `".inf"`,
		"2026-01-01":           `"2026-01-01"`,
		"12:30:45":             `"12:30:45"`,
		"yes":                  `"yes"`,
		"true":                 "true",
		"False":                "false",
		`"8080"`:               `"8080"`,
		"'true'":               `"true"`,
		"!!str 8080":           `"8080"`,
		`!!int "8080"`:         "8080",
		"<b>&":                 `"<b>&"`,
		`"tab\t\"quoted\""`:    `"tab\t\"quoted\""`,
		"[a, b]":               `["a","b"]`,
		"[]":                   `[]`,
	} {
		if got := content(t, "{x: "+yaml+"}"); got != `{"x":`+want+`}` {
			t.Errorf("%s became %s, want %s", yaml, got, want)
		}
	}
	if got, want := content(t, "{z: 1, a: 2, 'm.n': 3, 7: 4}"), `{"z":1,"a":2,"m.n":3,"7":4}`; got != want {
		t.Errorf("members became %s, want %s", got, want)
	}
}

func TestProblemsOfRulesHaveTheirLines(t *testing.T) {
	const head = good + "policy:\n  rules:\n" // five lines
	for name, tc := range map[string]struct{ yaml, want string }{
		"no name":           {"- decline:\n", "6: policy.rules[0].name: ..."},
		"name twice":        {"- name: x\n  decline:\n- name: x\n  cancel:\n", "8: policy.rules[1].name: ..."},
		"list for a name":   {"- name: [x]\n  decline:\n", "6: policy.rules[0].name: is a list, want <string>"},
		"no action":         {"- name: x\n", "6: policy.rules[0]: has no action, want one of accept, decline, cancel, roots, reply, forward, fail, webhook"},
		"mistyped action":   {"- name: x\n  acept: {}\n", "7: policy.rules[0].acept: unknown key, is accept meant?"},
		"mistyped match":    {"- name: x\n  mach: {}\n  decline:\n", "7: policy.rules[0].mach: unknown key, is match meant?"},
		"two actions":       {"- name: x\n  fail: {}\n  decline:\n", "8: policy.rules[0].decline: a rule has one action, and this one already has fail"},
		"unknown match key": {"- name: x\n  match:\n    mode: form\n    colour: red\n  decline:\n", "9: policy.rules[0].match.colour: ..."},
		"block value":       {"- name: x\n  match:\n    fields:\n      - a\n      - 7\n  decline:\n", "10: policy.rules[0].match.fields[1]: ..."},
		"root":              {"- name: x\n  match: {method: roots/list}\n  roots:\n    - uri: file:///a\n    - uri: http://b\n", "10: policy.rules[0].roots[1].uri: ..."},
		"dotted field":      {"- name: x\n  accept:\n    content:\n      a: 1\n      a.b:\n        c: 1\n", "10: policy.rules[0].accept.content.a.b: ..."},
		"expression":        {"- name: x\n  match:\n    when: |\n      request.args.x ==\n  decline:\n", "8: policy.rules[0].match.when: ..."},
		"deep tag":          {"- name: x\n  accept:\n    content:\n      a: !!timestamp 2026-01-01\n", "9: policy.rules[0].accept.content.a: has the tag !!timestamp, which is not supported"},
		"foreign tag":       {"- name: x\n  accept:\n    content:\n      a: !x 1\n", "9: policy.rules[0].accept.content.a: has the tag !x, which is not supported"},
		"no number":         {"- name: x\n  accept:\n    content:\n      a: !!int 0x10\n", "9: policy.rules[0].accept.content.a: is no !!int that JSON can write"},
		"repeated member":   {"- name: x\n  accept:\n    content:\n      a: 1\n      a: 2\n", "10: policy.rules[0].accept.content.a: is already given in line 9"},
		"extra action":      {"- name: x\n  webhook:\n    uri: x\n", "7: policy.rules[0].webhook.url: is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			yaml := head + "    " + strings.ReplaceAll(strings.TrimSuffix(tc.yaml, "\n"), "\n", "\n    ") + "\n"
			_, problems := Parse("c.yaml", []byte(yaml), Options{Actions: testActions()})
			if got := strings.ReplaceAll(problems.Error(), "c.yaml:", ""); !sameLines(got, tc.want) {
				t.Errorf("%s\ngot  %s\nwant %s", yaml, got, tc.want)
			}
		})
	}
}

// A general rule with a problem is told once, however many routes have it.
func TestGeneralRulesAreJudgedOnce(t *testing.T) {
	yaml := "policy: {rules: [{name: x, match: {tool: 'a['}, decline: }]}\nroutes:\n"
	for i := range 3 {
		yaml += fmt.Sprintf("  - {path: /r%d, upstream: {url: 'http://a.example'}}\n", i)
	}
	_, problems := Parse("c.yaml", []byte(yaml), Options{})
	if len(problems) != 1 || problems[0].Field != "policy.rules[0].match.tool" {
		t.Errorf("got %v", problems)
	}
}

// Names are unique in what a route has: its own rules and the general ones.
func TestRuleOfARouteNamedLikeAGeneralOne(t *testing.T) {
	yaml := "policy: {rules: [{name: x, decline: }]}\nroutes:\n  - upstream: {url: 'http://a.example'}\n    policy: {rules: [{name: x, cancel: }]}\n"
	_, problems := Parse("c.yaml", []byte(yaml), Options{})
	if len(problems) != 1 || !strings.HasSuffix(problems[0].Field, ".name") {
		t.Errorf("got %v", problems)
	}
}

func TestRuleThatNeverDecidesIsWarnedOf(t *testing.T) {
	shadowed := "{rules: [{name: all, decline: }, {name: never, match: {mode: form}, cancel: }]}"
	c := parsed(t, good+"policy: "+shadowed+"\n", Options{})
	if len(c.Warnings) != 1 || c.Warnings[0].Line != 4 || c.Warnings[0].Field != "policy.rules[1]" {
		t.Errorf("got %v", c.Warnings)
	}
	c = parsed(t, "policy: {rules: [{name: general, decline: }]}\nroutes: [{upstream: {url: 'http://a.example'}, policy: {rules: [{name: all, decline: }]}}]\n", Options{})
	if len(c.Warnings) != 0 {
		t.Errorf("a route that overrules the general rules: %v", c.Warnings)
	}
}

// The secret of an action from outside counts from the folder of the file, as every path does.
func TestSecretOfAnActionIsPlaced(t *testing.T) {
	yaml := good + "policy: {rules: [{name: x, webhook: {url: 'http://a.example', secret: {file: key}}}]}\n"
	c, problems := Parse(filepath.Join("/etc/proxy", "c.yaml"), []byte(yaml), Options{Actions: testActions()})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := string(c.Policy.Rules[0].Args); !strings.Contains(got, `{"file":"/etc/proxy/key"}`) {
		t.Errorf("got %s", got)
	}
}

func TestAliases(t *testing.T) {
	c := parsed(t, "policy:\n  rules:\n    - {name: a, match: &m {method: elicitation/create, mode: form}, accept: {content: {x: 1}}}\n    - {name: b, match: *m, decline: }\n"+good, Options{})
	if a, b := string(c.Policy.Rules[0].Match), string(c.Policy.Rules[1].Match); a != b {
		t.Errorf("%s and %s", a, b)
	}
}

func TestAliasesCannotBlowUpAFile(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'k'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 10), ", "))
	}
	for name, body := range map[string]string{
		"laughs": "{" + strings.ReplaceAll(strings.TrimSpace(laughs), "\n", ", ") + "}",
		"circle": "&r {x: *r}",
		"depth":  strings.Repeat("[", 500) + strings.Repeat("]", 500),
	} {
		begun := time.Now()
		_, problems := Parse("c.yaml", []byte(good+"policy: {rules: [{name: x, accept: {content: "+body+"}}]}\n"), Options{})
		if !strings.Contains(problems.Error(), "is nested too deep or repeats too much") {
			t.Errorf("%s: %.500v", name, problems)
		}
		if d := time.Since(begun); d > 5*time.Second {
			t.Errorf("%s took %v", name, d)
		}
	}
}
