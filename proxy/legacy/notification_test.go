package legacy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// The modern dialect has no notifications towards the server.
func TestNotificationsAreConsumed(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	for _, method := range []string{"notifications/initialized", "notifications/roots/list_changed", "notifications/progress", "notifications/cancelled", "notifications/unheard-of"} {
		if status := client.Notify(method, `{"requestId":"none","progressToken":1,"progress":1}`); status != http.StatusAccepted {
			t.Errorf("%s: HTTP %d", method, status)
		}
		if n := len(w.upstream.Attempts(method)); n != 0 {
			t.Errorf("%s went up", method)
		}
	}
}

// A cancelled request has no response, and leaves neither an attempt nor a question open
// (MCP, Cancellation). The number 7 and the string "7" are two requests.
func TestACancelledRequestHasNoResponse(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20251125)
	w.upstream.Handle("prompts/get", func(*mcptest.Attempt) mcptest.Reply { return mcptest.Reply{Write: (*mcptest.Writer).Hold} })
	waiting := client.Request(`"7"`, "prompts/get", `{"name":"p"}`)
	attempt := w.upstream.Await("prompts/get", 1)
	asking, ask := asked(w, client)

	if status := client.Cancel("7"); status != http.StatusAccepted {
		t.Errorf("cancelling another id: HTTP %d", status)
	}
	if status := client.Cancel(`"7"`); status != http.StatusAccepted {
		t.Errorf("HTTP %d", status)
	}
	attempt.AwaitCancelled(t)
	if body := waiting.Body(); strings.Contains(body, "jsonrpc") || waiting.Status() != http.StatusOK || !waiting.IsEvents() {
		t.Errorf("a cancelled request got HTTP %d %q", waiting.Status(), body)
	}

	client.Cancel("1")
	if m := asking.Notification("notifications/cancelled"); string(mcptest.Member(m.Params, "requestId")) != string(ask.ID) {
		t.Errorf("withdrawn: %s, want %s", m.Raw, ask.ID)
	}
	for _, e := range asking.Events() {
		if m := mcptest.Member([]byte(e.Data), "result"); m != nil {
			t.Errorf("a cancelled request got %s", e.Data)
		}
	}
	w.awaitQuiet()
	if status := client.Answer(ask, rootsAnswer); status != http.StatusAccepted {
		t.Errorf("a late answer: HTTP %d", status)
	}
}
