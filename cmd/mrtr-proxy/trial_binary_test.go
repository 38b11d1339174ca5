package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// A rule on trial is counted and recorded, and the person is asked as before.
func TestARuleOnTrialChangesNothing(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Asking("", mcptest.Form("q", "Deploy?", confirmSchema)))
	audit := filepath.Join(t.TempDir(), "audit.log")
	d := program.Start(t, mcptest.OneRoute(up.URL(), `
audit: {file: "`+audit+`"}
policy:
  rules:
    - name: new
      mode: observe
      match: {mode: form}
      accept: {content: {confirm: true}}
    - name: model
      mode: observe
      match: {method: sampling/createMessage}
      reply: {text: hello}
`, ""))
	c := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, `{"elicitation":{}}`)
	call := c.CallTool("1", "deploy", `{}`)
	c.Answer(call.Ask("elicitation/create"), `{"action":"decline"}`)
	if got := call.Response().Text(); got != `{"q":{"action":"decline"}}` {
		t.Errorf("the server met %s", got)
	}
	if declared := up.Await("tools/call", 1).Capabilities(); !mcptest.Same(declared, []byte(`{"elicitation":{"form":{}}}`)) {
		t.Errorf("declared %s: a rule on trial adds nothing", declared)
	}
	d.AwaitMetric(1, "mrtr_proxy_policy_decisions_total", "rule", "new", "action", "observed_accept")
	d.AwaitMetric(1, "mrtr_proxy_policy_decisions_total")
	d.AwaitMetric(1, "mrtr_proxy_asks_total", "source", "client", "outcome", "decline")
	line, err := os.ReadFile(audit)
	if err != nil {
		t.Fatal(err)
	}
	if got := mcptest.Member(line, "observed"); string(got) != `[{"rule":"new","action":"accept","outcome":"accept"}]` || string(mcptest.Member(line, "action")) != `"forward"` {
		t.Errorf("recorded as %s", line)
	}
}

// The limits of a tool hold for that tool, and their input_timeout for its asks.
func TestLimitsOfATool(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.InputRequired(`"s"`, mcptest.Roots("r"))}))
	d := program.Start(t, mcptest.OneRoute(up.URL(), `
limits:
  max_rounds: 4
  tools:
    "deploy_*": {max_rounds: 2}
    "d*": {max_rounds: 1}
`+smallRules, `
limits: {tools: {"*_prod": {max_rounds: 1}, "ask_*": {input_timeout: 50ms}}}
`))
	c := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, `{"elicitation":{}}`)
	for tool, rounds := range map[string]int{"deploy_web": 2, "deploy_prod": 1, "delete": 1, "other": 4} {
		f := c.CallTool(`"`+tool+`"`, tool, `{}`).Response().Failure()
		if f == nil || f.Kind != "mrtr_round_limit" || f.Limit != "max_rounds" || f.Rounds != rounds {
			t.Errorf("%s: %+v, want a trip after %d rounds", tool, f, rounds)
		}
	}
	up.Handle("tools/call", mcptest.Asking("", mcptest.Form("q", "?", confirmSchema)))
	call := c.CallTool("9", "ask_me", `{}`)
	call.Ask("elicitation/create")
	if got := call.Response().Text(); got != `{"q":{"action":"cancel"}}` {
		t.Errorf("a person who does not answer: the server met %s", got)
	}
	d.AwaitMetric(1, "mrtr_proxy_limit_trips_total", "limit", "input_timeout", "mode", "enforce")
}

// A full disk is told, counted and, where that was asked for, a reason to answer nothing.
func TestAnAuditFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no full disk at hand")
	}
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Asking("", mcptest.Form("q", "Deploy?", confirmSchema)))
	config := func(file, choice string) string {
		return mcptest.OneRoute(up.URL(), `audit: {file: "`+file+`", on_failure: `+choice+`}`, "")
	}
	d := program.Start(t, config("/dev/full", "refuse"))
	c := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, `{"elicitation":{}}`)

	call := c.CallTool("1", "deploy", `{}`)
	c.Answer(call.Ask("elicitation/create"), `{"action":"accept","content":{"confirm":true}}`)
	refused := func(m *mcptest.Message) {
		t.Helper()
		if f := m.Failure(); f == nil || f.Kind != "input_handler" || f.Reason != "refused" || f.Key != "q" {
			t.Errorf("got %s, want a refusal", m.Result)
		}
	}
	refused(call.Response())
	refused(c.CallTool("2", "deploy", `{}`).Response()) // nobody is asked for nothing
	if n := len(up.Attempts("tools/call")); n != 2 {
		t.Errorf("%d attempts: an answer that was not recorded went up", n)
	}
	d.AwaitMetric(2, "mrtr_proxy_audit_records_lost_total", "route", "/mcp")
	d.AwaitMetric(2, "mrtr_proxy_asks_total", "outcome", "refused")
	d.AwaitLog("the audit file cannot be written")

	file := filepath.Join(t.TempDir(), "audit.log")
	for _, next := range []struct{ file, choice string }{{"/dev/full", "continue"}, {file, "refuse"}} {
		if status, body := d.Reload(config(next.file, next.choice)); status != 200 {
			t.Fatalf("reload: %d %s", status, body)
		}
		call := c.CallTool(`"`+next.choice+`"`, "deploy", `{}`)
		c.Answer(call.Ask("elicitation/create"), `{"action":"decline"}`)
		if got := call.Response().Text(); got != `{"q":{"action":"decline"}}` {
			t.Errorf("%s to %s: the server met %s", next.choice, next.file, got)
		}
	}
	if line, err := os.ReadFile(file); err != nil || !json.Valid(line) || !strings.Contains(string(line), `"outcome":"decline"`) {
		t.Errorf("recorded as %s, %v", line, err)
	}
	d.AwaitMetric(3, "mrtr_proxy_audit_records_lost_total")
}
