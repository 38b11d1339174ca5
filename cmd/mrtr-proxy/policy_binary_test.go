package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// program is the built binary: what follows looks at it from outside.
var program mcptest.Program

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }

// files writes files into one folder and gives it.
func files(t *testing.T, pairs ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(pairs); i += 2 {
		if err := os.WriteFile(filepath.Join(dir, pairs[i]), []byte(pairs[i+1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const confirmSchema = `{"type":"object","properties":{"confirm":{"type":"boolean"}},"required":["confirm"]}`

const smallRules = `
policy:
  rules:
    - name: small
      match: {mode: form, tool: "deploy_*", when: has(request.args.replicas) && request.args.replicas <= 3}
      accept: {content: {confirm: true}}
    - name: workspace
      match: {method: roots/list}
      roots: [{uri: "file:///srv/work"}]
`

// What explain says is what traffic meets, to the byte.
func TestExplainSaysWhatTrafficMeets(t *testing.T) {
	t.Parallel()
	asks := []mcptest.Ask{mcptest.Form("q", "Deploy?", confirmSchema), mcptest.Roots("r")}
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Asking(`"st4te"`, asks...))
	config := mcptest.OneRoute(up.URL(), smallRules, "")
	d := program.Start(t, config)
	c := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, `{}`)
	met := c.CallTool("1", "deploy_web", `{"replicas":2}`).Response().Text()

	dir := files(t, "config.yaml", config)
	result := mcptest.InputRequired(`"st4te"`, asks...)
	out := program.Exec(t, `{"jsonrpc":"2.0","id":1,"result":`+result+`}`, "explain", "--config", filepath.Join(dir, "config.yaml"), "--ask", "-", "--json",
		"--tool", "deploy_web", "--args", `{"replicas":2}`, "--capabilities", `{}`)
	if out.Status != 0 || strings.Contains(out.Stdout, "st4te") {
		t.Fatalf("exit %d\n%s%s", out.Status, out.Stdout, out.Stderr)
	}
	var report struct {
		Declared json.RawMessage
		Asks     []struct {
			Key    string
			Answer json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(out.Stdout), &report); err != nil || len(report.Asks) != 2 {
		t.Fatal(err, out.Stdout)
	}
	said := map[string]json.RawMessage{}
	for _, a := range report.Asks {
		said[a.Key] = a.Answer
	}
	answers, _ := json.Marshal(said)
	if !mcptest.Same(answers, []byte(met)) {
		t.Errorf("explain says %s, the server met %s", answers, met)
	}
	if declared := up.Await("tools/call", 1).Capabilities(); !mcptest.Same(report.Declared, declared) {
		t.Errorf("explain says that %s is declared, the server met %s", report.Declared, declared)
	}
}

func TestExplainCommand(t *testing.T) {
	t.Parallel()
	dir := files(t, "config.yaml", mcptest.OneRoute("http://127.0.0.1:9/mcp", smallRules, ""), "bad.yaml", "colour: red\n",
		"two.yaml", "routes: [{path: /a, upstream: {url: 'http://a.example'}}, {path: /b, upstream: {url: 'http://a.example'}}]\n",
		"ask.json", `{"ask":{"key":"q","method":"elicitation/create","params":{"message":"?","requestedSchema":`+confirmSchema+`}},"request":{"name":"deploy_web","args":{"replicas":2}}}`)
	for _, tc := range []struct {
		status int
		args   string
		says   []string // in any order
	}{
		{0, "--config config.yaml --ask ask.json", []string{"small", "decides", "decision: accept by small", `answer:   {"action":"accept","content":{"confirm":true}}`}},
		{0, "--config config.yaml --ask ask.json --args {\"replicas\":9}", []string{"decision: no rule, so forward", "from the client, which is asked", "request.args.replicas <= 3 is false"}},
		{0, "--config config.yaml --ask ask.json --args {} --capabilities {}", []string{"decision: no rule, so forward, and the client cannot be asked\n", `answer:   {"action":"cancel"}`}},
		{0, "--config config.yaml --ask ask.json --tool other", []string{`"deploy_*" does not match "other"`}},
		{0, "--config two.yaml --ask ask.json --route /b/ --client me", []string{"route:    /b\n", "client:   me"}},
		{1, "--config two.yaml --ask ask.json", []string{"more than one route"}},
		{1, "--config two.yaml --ask ask.json --route /c", []string{`no route "/c"`}},
		{1, "--config bad.yaml --ask ask.json", []string{"bad.yaml:1: colour: unknown key"}},
		{1, "--config config.yaml --ask none.json", []string{"no such file"}},
		{1, "--config config.yaml --ask config.yaml", []string{"no JSON"}},
		{1, "--config config.yaml --ask -", []string{"no JSON"}},
		{2, "--config config.yaml", []string{"--ask is missing"}},
		{2, "--ask ask.json", []string{"--config or --ask"}},
		{2, "--config config.yaml --ask ask.json --args [1]", []string{"no JSON object"}},
		{2, "--config config.yaml --ask ask.json --tool a --prompt b", []string{"names one tool"}},
		{2, "--config config.yaml --ask ask.json --request tools/list", []string{"never answered with asks"}},
		{2, "--config config.yaml --ask ask.json more", []string{"unexpected argument"}},
	} {
		args := strings.Fields("explain " + tc.args)
		for i, a := range args {
			if strings.HasSuffix(a, ".yaml") || strings.HasSuffix(a, ".json") {
				args[i] = filepath.Join(dir, a)
			}
		}
		out := program.Exec(t, "", args...)
		if out.Status != tc.status {
			t.Errorf("%s: exit %d, want %d\n%s%s", tc.args, out.Status, tc.status, out.Stdout, out.Stderr)
		}
		for _, text := range tc.says {
			if !strings.Contains(out.Stdout+out.Stderr, text) {
				t.Errorf("%s: no %q in\n%s%s", tc.args, text, out.Stdout, out.Stderr)
			}
		}
	}
}

func TestPolicyTestCommand(t *testing.T) {
	t.Parallel()
	const suite = `config: config.yaml
cases:
  - name: roots
    ask: {method: roots/list}
    want: {rule: `
	dir := files(t, "config.yaml", mcptest.OneRoute("http://127.0.0.1:9/mcp", smallRules, ""),
		"good.yaml", suite+"workspace}\n", "differs.yaml", suite+"small}\n", "bad.yaml", suite+"nobody}\ncolour: red\n")
	for _, tc := range []struct {
		status int
		args   string
		says   []string
	}{
		{0, "test good.yaml", []string{"ok  roots  ask  workspace  answered\n", "1 case, 0 failed"}},
		{1, "test differs.yaml", []string{"FAIL  roots", "differs.yaml:5: cases[0].want.rule: want small, got workspace", "1 failed"}},
		{1, "test bad.yaml good.yaml", []string{"bad.yaml:5: cases[0].want.rule: the route /mcp has no rule \"nobody\"\n", "bad.yaml:6: colour: unknown key\n", "1 case, 0 failed"}},
		{1, "test none.yaml", []string{"no such file"}},
		{2, "test", []string{"a file is missing"}},
		{2, "test --nonsense good.yaml", []string{"-nonsense"}},
		{2, "check good.yaml", []string{"want policy test"}},
		{2, "", []string{"want policy test"}},
		{0, "--help", []string{"policy test FILE"}},
	} {
		args := strings.Fields("policy " + tc.args)
		for i, a := range args {
			if strings.HasSuffix(a, ".yaml") {
				args[i] = filepath.Join(dir, a)
			}
		}
		out := program.Exec(t, "", args...)
		for _, text := range tc.says {
			if out.Status != tc.status || !strings.Contains(out.Stdout+out.Stderr, text) {
				t.Errorf("%s: exit %d, want %d and %q\n%s%s", tc.args, out.Status, tc.status, text, out.Stdout, out.Stderr)
			}
		}
	}
}

// A rule that never decides is worth a warning, and no more.
func TestCheckWarnsOfShadowedRules(t *testing.T) {
	t.Parallel()
	dir := files(t, "config.yaml", mcptest.OneRoute("http://127.0.0.1:9/mcp", "policy:\n  rules:\n    - {name: all, forward: {}}\n    - {name: never, decline: }\n", ""))
	out := program.Exec(t, "", "check", "--config", filepath.Join(dir, "config.yaml"))
	if out.Status != 0 || !strings.Contains(out.Stdout, `config.yaml:4: policy.rules[1]: never decides: rule 1, "all"`) || !strings.HasSuffix(out.Stdout, "is good\n") {
		t.Errorf("exit %d\n%s%s", out.Status, out.Stdout, out.Stderr)
	}
}
