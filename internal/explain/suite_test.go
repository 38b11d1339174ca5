package explain

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

// The suite of the examples holds: it is what operators begin with.
func TestExampleSuite(t *testing.T) {
	s, problems := config.LoadSuite("../../examples/policy/tests.yaml", config.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	results, err := Run(s)
	if err != nil || len(results) < 10 {
		t.Fatal(results, err)
	}
	decided := map[string]bool{}
	for _, r := range results {
		for _, d := range r.Differences {
			t.Errorf("%s: %s", r.Case, d)
		}
		for _, a := range r.Report.Asks {
			decided[a.Rule] = true
			for _, o := range a.Observed {
				decided[o.Rule] = true
			}
		}
	}
	for _, route := range s.Config.Routes {
		for _, rule := range route.Rules.Rules() {
			if !decided[rule.Name] {
				t.Errorf("no case is decided by %s", rule.Name)
			}
		}
	}
}

const suiteConfig = `
routes:
  - path: /mcp
    upstream: {url: "http://a.example"}
    policy:
      rules:
        - {name: new, mode: observe, match: {mode: form}, cancel: }
        - {name: form, match: {mode: form}, accept: {content: {port: 8080}}}
        - {name: other, match: {method: roots/list}, fail: {message: no}}
`

const suiteHead = `config: config.yaml
cases:
  - name: x
    ask: {method: elicitation/create, params: {message: "?", requestedSchema: {type: object, properties: {port: {type: integer}}}}}
    want: `

func ran(t *testing.T, suite string) []Result {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"config.yaml": suiteConfig, "tests.yaml": suite} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, problems := config.LoadSuite(filepath.Join(dir, "tests.yaml"), config.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	results, err := Run(s)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// Each expectation is met or told, with its line and both sides.
func TestDifferences(t *testing.T) {
	for want, says := range map[string]string{
		`{rule: form}`:      "",
		`{rule: other}`:     "cases[0].want.rule: want other, got form",
		`{rule: ""}`:        "cases[0].want.rule: want no rule, got form",
		`{action: accept}`:  "",
		`{action: decline}`: "cases[0].want.action: want decline, got accept",
		`{answer: {content: {port: 8080.0}, action: accept}}`: "",
		`{answer: {action: accept, content: {port: 8081}}}`:   `cases[0].want.answer: want {"action":"accept","content":{"port":8081}}, got {"action":"accept","content":{"port":8080}}`,
		`{answer: {action: accept, content: {port: "8080"}}}`: `cases[0].want.answer: want {"action":"accept","content":{"port":"8080"}}, got {"action":"accept","content":{"port":8080}}`,
		`{answer: {action: accept}}`:                          `cases[0].want.answer: want {"action":"accept"}, got {"action":"accept","content":{"port":8080}}`,
		`{failure: refused}`:                                  "cases[0].want.failure: want refused, got no failure",
		`{observed: [new]}`:                                   "",
		`{observed: []}`:                                      "cases[0].want.observed: want no rule, got new",
		`{declared: {roots: {}}}`:                             `cases[0].want.declared: want {"roots":{}}, got {"elicitation":{"form":{},"url":{}},"sampling":{"context":{},"tools":{}}}`,
		`{declared: {sampling: {tools: {}, context: {}}, elicitation: {form: {}, url: {}}}}`: "",
	} {
		r := ran(t, suiteHead+want+"\n")[0]
		var got []string
		for _, d := range r.Differences {
			if d.Line != 5 {
				t.Errorf("%s: in line %d", want, d.Line)
			}
			_, text, _ := strings.Cut(d.String(), ":5: ")
			got = append(got, text)
		}
		if strings.Join(got, "\n") != says {
			t.Errorf("%s:\n%s\nwant\n%s", want, strings.Join(got, "\n"), says)
		}
	}
}

func TestTable(t *testing.T) {
	results := ran(t, suiteHead+`{rule: form}
  - name: two of them
    asks:
      - {key: a, method: roots/list, want: {failure: refused}}
      - {key: longer, method: sampling/createMessage, params: {}, want: {rule: form, action: forward}}
  - name: declared
    client: {capabilities: {}}
    want: {declared: {elicitation: {form: {}}}}
`)
	var b bytes.Buffer
	differ, err := WriteTable(&b, results)
	got := strings.ReplaceAll(b.String(), results[0].File, "F")
	want := `ok    x            ask     form   accept
FAIL  two of them  a       other  refused
FAIL  two of them  longer  -      the client is asked
      F:9: cases[1].asks[1].want.rule: want form, got no rule
ok    declared     -       -      declared {"elicitation":{"form":{}}}
3 cases, 1 failed
`
	if differ != 1 || err != nil || got != want {
		t.Errorf("%d, %v\n%s\nwant\n%s", differ, err, got, want)
	}
}

func TestSameJSON(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[1,2]}`, `{"b":[1.0,2],"a":1.00}`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e999999999`, `1e999999999`, true},
		{`1e999999999`, `1e99`, false},
		{`"1"`, `1`, false},
		{`[1,2]`, `[2,1]`, false},
	} {
		if sameJSON([]byte(tc.a), []byte(tc.b)) != tc.want {
			t.Errorf("%s and %s: want %t", tc.a, tc.b, tc.want)
		}
	}
}
