package explain

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

func parsed(t *testing.T, yaml string) *config.Config {
	t.Helper()
	c, problems := config.Parse("c.yaml", []byte(yaml), config.Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

const rules = `
policy:
  rules:
    - {name: new, mode: observe, match: {method: elicitation/create}, decline: }
    - {name: broken, match: {when: request.args.absent == 1}, decline: }
    - {name: form, match: {mode: form, tool: "deploy_*"}, accept: {content: {port: 1}}}
    - {name: rest, forward: {}}
routes: [{path: /a, upstream: {url: "http://a.example"}}]
`

func explained(t *testing.T, yaml, document string) *Report {
	t.Helper()
	q, err := Read([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Explain(parsed(t, yaml), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func verdicts(a *Ask) string {
	var all []string
	for _, r := range a.Rules {
		all = append(all, r.Name+" "+string(r.Verdict))
	}
	return strings.Join(all, ", ")
}

func TestExplain(t *testing.T) {
	r := explained(t, rules, `{"ask":`+form+`,"request":{"name":"deploy_a","args":{"absent":2}}}`)
	a := r.Asks[0]
	if got := verdicts(&a); got != "new observes, broken no, form decides, rest too late" {
		t.Error(got)
	}
	if a.Rule != "form" || a.Action != "accept" || a.Source != "policy" || a.Outcome != "accept" || string(a.Answer) != `{"action":"accept","content":{"port":1}}` ||
		!a.Declared || len(a.Observed) != 1 || a.Observed[0] != (Observed{"new", "decline", "decline"}) {
		t.Errorf("%+v", a)
	}
}

func TestExplainAFailure(t *testing.T) {
	r := explained(t, rules, `{"ask":`+form+`,"request":{"name":"deploy_a","args":{}}}`)
	a := r.Asks[0]
	if got := verdicts(&a); got != "new observes, broken fails, form too late, rest too late" {
		t.Error(got)
	}
	if a.Failure == nil || a.Failure.Reason != "refused" || a.Answer != nil || a.Rules[1].Error == "" {
		t.Errorf("%+v", a)
	}
}

// What neither the client has nor a rule answers may not be asked, whatever rule would match.
func TestExplainWhatMayNotBeAsked(t *testing.T) {
	r := explained(t, `routes: [{upstream: {url: "http://a.example"}, policy: {rules: [{name: no, match: {method: roots/list}, fail: {message: x}}]}}]`,
		`{"inputRequests":{"a":{"method":"roots/list"},"b":`+form+`},"client":{"capabilities":{}}}`)
	for _, a := range r.Asks {
		if a.Declared || a.Failure == nil || a.Failure.Kind != "protocol" || a.Action != "" {
			t.Errorf("%+v", a)
		}
	}
	if string(r.Declared) != "{}" {
		t.Errorf("declared %s", r.Declared)
	}
}

func TestRouteOfAQuery(t *testing.T) {
	c := parsed(t, "routes: [{path: /a, upstream: {url: 'http://a.example'}}, {path: /, upstream: {url: 'http://b.example'}}]")
	for path, want := range map[string]string{"/a": "/a", "/a/": "/a", "/": "/", "": "more than one", "/c": `no route "/c"`} {
		q := New()
		q.Route = path
		switch r, err := Explain(c, q); {
		case err != nil && !strings.Contains(err.Error(), want), err == nil && r.Route != want:
			t.Errorf("%q: %+v, %v", path, r, err)
		}
	}
}

// The state of a round trip is nobody's business, and what a peer wrote cannot take over a terminal.
func TestReportsAreClean(t *testing.T) {
	r := explained(t, rules, `{"resultType":"input_required","requestState":"st4te","inputRequests":{"a\u001b[2J":`+form+`},`+
		`"request":{"name":"deploy_\u001b[2J","args":{"absent":2}},"client":{"name":"c\u202e"}}`)
	var text, document bytes.Buffer
	if err := r.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&document); err != nil || !json.Valid(document.Bytes()) {
		t.Fatal(err, document.String())
	}
	if strings.Contains(text.String()+document.String(), "st4te") || strings.ContainsAny(text.String(), "\x1b\u202e") || strings.Contains(document.String(), "\x1b") {
		t.Errorf("%s%s", text.String(), document.String())
	}
}
