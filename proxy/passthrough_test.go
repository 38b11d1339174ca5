package proxy_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// legacyServer shakes hands, and knows nothing of server/discover.
func legacyServer(t *testing.T) string {
	return mcptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), `"initialize"`):
			w.Header().Set("Mcp-Session-Id", "theirs")
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"theirs","version":"1"}}}`)
		case r.Header.Get("Mcp-Session-Id") != "theirs":
			http.Error(w, "no session", http.StatusBadRequest)
		case r.Method == http.MethodPost && !strings.Contains(string(body), `"id"`):
			w.WriteHeader(http.StatusAccepted)
		case r.Method == http.MethodPost:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n\ndata: %s\n\n", body)
		default:
			w.Header().Set("X-Method", r.Method)
			w.WriteHeader(http.StatusNoContent)
		}
	}))
}

// Sessions, streams and questions of a legacy server are between it and the client.
func TestALegacyServerIsPassedThrough(t *testing.T) {
	t.Parallel()
	url := legacyServer(t) + "/mcp"
	for name, more := range map[string]string{
		"found out":              "",
		"set":                    `upstream: {url: "` + url + `", era: legacy}`,
		"rules that cannot hold": "passthrough: true\npolicy: {rules: [{name: a, decline: }]}",
	} {
		d := program.Start(t, mcptest.OneRoute(url, "", more))
		c := mcptest.NewClient(t, d.Endpoint())
		c.Initialize(mcptest.V20251125, `{}`)
		if c.Session != "theirs" || c.Version != mcptest.V20250618 {
			t.Fatalf("%s: session %q, revision %s", name, c.Session, c.Version)
		}
		const call = `{"jsonrpc":"2.0", "id":7,"method":"tools/call","params":{"name":"a","task":{}}}`
		if got, want := c.Post(call).Body(), "data: {\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":1}\n\ndata: "+call+"\n\n"; got != want {
			t.Errorf("%s: got %s", name, got)
		}
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			if reply := c.Do(method, "", nil); reply.Status() != http.StatusNoContent || reply.Header().Get("X-Method") != method {
				t.Errorf("%s: %s: HTTP %d", name, method, reply.Status())
			}
		}
		d.AwaitMetric(1, "mrtr_proxy_upstream_era", "era", "legacy")
	}
}

// Rules do not vanish because a server says that it is a legacy one.
func TestALegacyServerIsRefusedWhereThereAreRules(t *testing.T) {
	t.Parallel()
	d := program.Start(t, mcptest.OneRoute(legacyServer(t)+"/mcp", "", "policy: {rules: [{name: a, decline: }]}"))
	const modern = `{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for body, header := range map[string]http.Header{
		hello:  nil,
		modern: {"Mcp-Protocol-Version": {mcptest.ModernVersion}, "Mcp-Method": {"tools/list"}},
	} {
		reply := mcptest.NewClient(t, d.Endpoint()).Do(http.MethodPost, body, header)
		if m := reply.Response(); reply.Status() != http.StatusOK || m.Code() != -32603 || !strings.Contains(m.ErrorText(), "passthrough: true") || reply.Header().Get("Mcp-Session-Id") != "" {
			t.Errorf("HTTP %d %s", reply.Status(), m.Raw)
		}
	}
}
