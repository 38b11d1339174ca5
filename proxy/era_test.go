package proxy_test

import (
	"net/http"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// The body of a message tells its era. The version header alone tells it only where no
// session is live, and never for initialize.
func TestTheEraOfAMessage(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	d := program.Start(t, mcptest.OneRoute(up.URL(), "", ""))
	live := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, `{}`).Session
	const (
		bare = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
		full = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	)
	modern, method := mcptest.ModernVersion, http.Header{"Mcp-Method": {"tools/list"}}
	for _, c := range []struct {
		name, body, session, version string
		status, code                 int // of a refusal; each era has its own
	}{
		{"a version in _meta", full, "", modern, 200, 0},
		{"the same within a session", full, live, modern, 200, 0},
		{"the same without the header", full, live, "", 400, -32020},
		{"the header alone", bare, "", modern, 400, -32602},
		{"the header and a session that is none", bare, "stale", modern, 400, -32602},
		{"the header within a session", bare, live, modern, 400, -32600},
		{"a session", bare, live, "", 200, 0},
		{"nothing", bare, "", "", 400, -32600},
		{"initialize with the header", hello, "", modern, 200, 0},
	} {
		header := method.Clone()
		if c.session != "" {
			header.Set("Mcp-Session-Id", c.session)
		}
		if c.version != "" {
			header.Set("Mcp-Protocol-Version", c.version)
		}
		reply := mcptest.NewClient(t, d.Endpoint()).Do(http.MethodPost, c.body, header)
		if m := reply.Response(); reply.Status() != c.status || m.Code() != c.code {
			t.Errorf("%s: HTTP %d %s", c.name, reply.Status(), m.Raw)
		}
	}
	d.AwaitMetric(2, "mrtr_proxy_requests_total", "era", "modern", "method", "tools/list", "outcome", "ok")
	d.AwaitMetric(1, "mrtr_proxy_requests_total", "era", "legacy", "method", "tools/list", "outcome", "ok")
}
