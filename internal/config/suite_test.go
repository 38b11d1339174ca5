package config

import (
	"path/filepath"
	"strings"
	"testing"
)

const suiteConfig = `
routes:
  - path: /mcp
    upstream: {url: "http://a.example"}
    policy: {rules: [{name: form, match: {mode: form}, decline: }]}
`

// loadedSuite checks a suite against all of its problems, one a line without the folder of the files.
func loadedSuite(t *testing.T, suite, want string) *Suite {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "c.yaml", suiteConfig)
	write(t, dir, "bad.yaml", "colour: red\n")
	s, problems := LoadSuite(write(t, dir, "t.yaml", suite), Options{Actions: testActions()})
	got := strings.ReplaceAll(problems.Error(), dir+string(filepath.Separator), "")
	if got != want || (s == nil) != (want != "") {
		t.Errorf("%s\ngot\n%s\nwant\n%s", suite, got, want)
	}
	return s
}

func TestSuite(t *testing.T) {
	s := loadedSuite(t, `config: c.yaml
route: /mcp/
request: {method: prompts/get, name: a, args: {n: 9007199254740993, d: 2026-01-01}}
client: {name: c, capabilities: {roots: {}}}
cases:
  - name: one
    round: 3
    request: {name: b}
    ask: {method: roots/list}
    want: {rule: "", action: webhook, declared: {}}
  - name: two
    client: {version: "2"}
    asks:
      - {key: x, method: roots/list, want: {rule: form, observed: [form]}}
      - {key: y, method: sampling/createMessage, params: {a: 1}, want: {failure: protocol, answer: {}}}
`, "")
	if len(s.Cases) != 2 {
		t.Fatalf("%+v", s)
	}
	one, two := s.Cases[0], s.Cases[1]
	if one.Name != "one" || one.Line != 6 || one.Route != "/mcp" || one.Round != 3 || one.Request.Method != "prompts/get" || one.Request.Name != "b" ||
		string(one.Request.Args) != `{"n":9007199254740993,"d":"2026-01-01"}` || one.Client.Name != "c" || string(one.Capabilities) != `{"roots":{}}` {
		t.Errorf("%+v", one)
	}
	if w := one.Asks[0].Want; one.Asks[0].Ask.Key != "ask" || !w.Rule.Given || w.Rule.Value != "" || w.Action.Value != "webhook" || w.Failure.Given ||
		w.Rule.Line != 10 || w.Rule.Field != "cases[0].want.rule" || !one.Declared.Given {
		t.Errorf("%+v", w)
	}
	if two.Request.Name != "a" || two.Round != 1 || two.Client.Name != "c" || two.Client.Version != "2" || len(two.Asks) != 2 ||
		two.Asks[1].Ask.Key != "y" || string(two.Asks[1].Ask.Params) != `{"a":1}` || two.Asks[0].Want.Observed.Value[0] != "form" {
		t.Errorf("%+v", two)
	}
}

// Every problem of a suite is told at once, and those of its configuration with it.
func TestSuiteNamesEveryProblem(t *testing.T) {
	loadedSuite(t, "", "t.yaml:1: config: is missing, want <path>\nt.yaml:1: cases: is missing, want [ <case>, ... ]")
	loadedSuite(t, "config: [\n", "t.yaml:1: no YAML: did not find expected node content")
	loadedSuite(t, "config: c.yaml\ncases: []\n", "t.yaml:2: cases: is empty, want at least one case")
	loadedSuite(t, `config: bad.yaml
colour: red
cases:
  - ask: {method: roots/list}
    want: {rule: a}
`, `t.yaml:2: colour: unknown key
t.yaml:4: cases[0].name: is missing, want <string>
bad.yaml:1: colour: unknown key
bad.yaml:1: routes: is missing, want [ <route>, ... ]`)
	loadedSuite(t, "config: none.yaml\ncases: [{name: a, want: {declared: {}}}]\n", "none.yaml: no such file or directory")
	loadedSuite(t, `config: c.yaml
cases:
  - {name: a, ask: {method: roots/list}, want: {}}
  - {name: a, ask: {method: roots/list}, want: {rule: nobody, observed: [form, neither]}}
  - {name: b, route: /x, ask: {method: roots/list}, want: {rule: a}}
  - {name: c, want: {rule: form}}
  - {name: d}
  - {name: e, ask: {method: roots/list}, asks: [], want: {rule: form}}
  - {name: f, asks: [{method: roots/list, want: {rule: form}}], want: {rule: form}}
  - {name: g, asks: [{key: k, method: roots/list, want: {}}, {key: k, method: roots/list}, {method: roots/list, want: {action: shrug}}]}
  - {name: h, ask: {method: tools/call}, want: {failure: maybe}}
  - {name: i, ask: {method: elicitation/create, params: [1]}, want: {answer: [1]}}
  - {name: j, ask: {params: {}}, request: {method: tools/list}, client: {capabilities: true}, round: 0, want: {rule: form}}
`, `t.yaml:3: cases[0]: wants nothing
t.yaml:4: cases[1].name: the case of line 3 has the same name
t.yaml:4: cases[1].want.rule: the route /mcp has no rule "nobody"
t.yaml:4: cases[1].want.observed: the route /mcp has no rule "neither"
t.yaml:5: cases[2].route: there is no such route, want one of /mcp
t.yaml:6: cases[3]: has no ask
t.yaml:7: cases[4]: wants nothing
t.yaml:8: cases[5]: has both ask and asks
t.yaml:9: cases[6].want: beside asks only declared is wanted: each ask has a want of its own
t.yaml:10: cases[7].asks[0].want: wants nothing
t.yaml:10: cases[7].asks[1].want: is missing, want <expected>
t.yaml:10: cases[7].asks[1]: another ask has the key "k"
t.yaml:10: cases[7].asks[2].want.action: "shrug" is none of accept, decline, cancel, roots, reply, forward, fail, webhook
t.yaml:10: cases[7].asks[2]: has no key, want one of its own for each ask
t.yaml:11: cases[8].ask: cannot be asked: its method "tools/call" is none that a client can be asked
t.yaml:11: cases[8].want.failure: "maybe" is none of refused, invalid_response, no_channel, protocol
t.yaml:12: cases[9].ask.params: is a list, want a mapping
t.yaml:12: cases[9].want.answer: is a list, want a mapping
t.yaml:13: cases[10].request.method: "tools/list" is none of tools/call, prompts/get, resources/read
t.yaml:13: cases[10].client.capabilities: is a plain value, want a mapping
t.yaml:13: cases[10].round: 0 is less than 1
t.yaml:13: cases[10].ask.method: is missing, want <string>`)
}
