package legacy_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/legacy"
)

func progressOf(t *testing.T, m *mcptest.Message) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(string(mcptest.Member(m.Params, "progress")), 64)
	if err != nil {
		t.Fatalf("progress of %s: %v", m.Raw, err)
	}
	return v
}

// A client that wants progress hears that its call waits, and for what; the values go on
// growing with the server's own.
func TestAWaitingCallSaysSo(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.WaitingProgress = 5 * time.Millisecond })
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		progress := func(n string) string {
			return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(a.Meta("progressToken")) + `,"progress":` + n + `,"total":3}}`
		}
		if !a.IsRetry() {
			return mcptest.Reply{Before: []string{progress("1"), progress("2")}, Result: mcptest.InputRequired(`"s"`, mcptest.Form("q", "Which\nport?", `{"type":"object","properties":{}}`))}
		}
		return mcptest.Reply{Before: []string{progress("1"), progress("2")}, Result: mcptest.Text("done")}
	})
	client := w.connect(mcptest.V20251125)
	call := client.Request("1", "tools/call", `{"name":"release","_meta":{"progressToken":"mine"}}`)
	last, waited := 0.0, 0
	see := func(m *mcptest.Message) {
		if v := progressOf(t, m); v <= last {
			t.Errorf("progress %v after %v", v, last)
		} else {
			last = v
		}
		if token := string(mcptest.Member(m.Params, "progressToken")); token != `"mine"` {
			t.Errorf("progress for token %s", token)
		}
	}
	see(call.Notification("notifications/progress"))
	see(call.Notification("notifications/progress"))
	ask := call.Ask("elicitation/create")
	for waited < 3 {
		m := call.Notification("notifications/progress")
		see(m)
		if text := string(mcptest.Member(m.Params, "message")); text != `"waiting for an answer to: Which port?"` {
			t.Fatalf("the message is %s", text)
		}
		waited++
	}
	client.Answer(ask, `{"action":"accept","content":{}}`)
	for m := call.Next(); ; m = call.Next() {
		if m.Method == "" {
			break
		}
		see(m)
	}
	if last < 4 {
		t.Errorf("the last progress is %v: the second attempt's went missing", last)
	}
}

// A client that asked for no progress gets none, however long it waits.
func TestNoTokenNoProgress(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.WaitingProgress, o.KeepAlive = time.Millisecond, 5*time.Millisecond })
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("where")))
	client := w.connect(mcptest.V20251125)
	call := client.CallTool("1", "release", `{}`)
	ask := call.Ask("roots/list")
	call.AwaitComments(call.Comments() + 3)
	client.Answer(ask, rootsAnswer)
	if m := call.Next(); m.Method != "" {
		t.Errorf("got %s", m.Raw)
	}
}

// A client that is about to give up gets an answer it can read, and the question is withdrawn.
func TestClientDeadline(t *testing.T) {
	every, err := policy.ParsePattern("mcp*")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *proxy.Options) {
		o.WaitingProgress = 60 * time.Millisecond // the deadline is past when a client hears of the first
		o.Deadlines = []legacy.Deadline{{Client: every, After: 50 * time.Millisecond}}
	})
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("where")))
	client := w.connect(mcptest.V20251125)
	call := client.CallTool("1", "release", `{}`)
	ask := call.Ask("roots/list")
	if m := call.Notification("notifications/cancelled"); string(mcptest.Member(m.Params, "requestId")) != string(ask.ID) {
		t.Errorf("withdrawn: %s", m.Raw)
	}
	m := call.Response()
	if !strings.Contains(string(m.Result), `"isError":true`) || !strings.Contains(string(m.Result), `"reason":"timeout"`) {
		t.Errorf("got %s", m.Raw)
	}
	w.awaitQuiet()

	patient := client.Request("2", "tools/call", `{"name":"release","_meta":{"progressToken":1}}`)
	ask = patient.Ask("roots/list")
	for range 2 {
		patient.Notification("notifications/progress")
	}
	client.Answer(ask, rootsAnswer)
	if m := patient.Response(); strings.Contains(string(m.Result), "isError") {
		t.Errorf("a client that hears of progress was given up: %s", m.Raw)
	}
}
