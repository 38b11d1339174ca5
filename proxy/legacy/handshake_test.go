package legacy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

func handshake(params string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":` + params + `}`
}

// The revision is the one that was asked for if it is a legacy one, else the newest of
// these (MCP, Lifecycle: Version Negotiation). What headers say counts for nothing.
func TestTheRevisionIsAgreed(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ requested, want string }{
		{`"2024-11-05"`, mcptest.V20241105},
		{`"2025-03-26"`, mcptest.V20250326},
		{`"2025-06-18"`, mcptest.V20250618},
		{`"2025-11-25"`, mcptest.V20251125},
		{`"2026-07-28"`, mcptest.V20251125},
		{`"1.0"`, mcptest.V20251125},
		{`7`, mcptest.V20251125},
		{`null`, mcptest.V20251125},
	} {
		for _, header := range []http.Header{{}, {"Mcp-Session-Id": {"stale"}, "Mcp-Protocol-Version": {"2026-07-28"}}} {
			reply := mcptest.NewClient(t, w.url+"/mcp").Do(http.MethodPost, handshake(`{"protocolVersion":`+c.requested+`,"capabilities":{}}`), header)
			m := reply.Response()
			if got := string(mcptest.Member(m.Result, "protocolVersion")); got != `"`+c.want+`"` || reply.Status() != http.StatusOK {
				t.Errorf("%s: HTTP %d, %s, want %s", c.requested, reply.Status(), got, c.want)
			}
			session := reply.Header().Get("Mcp-Session-Id")
			if session == "" || session == "stale" || strings.ContainsFunc(session, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
				t.Errorf("%s: session %q", c.requested, session)
			}
		}
	}
	if n := len(w.upstream.Attempts("initialize")); n != 0 {
		t.Errorf("%d handshakes went up", n)
	}
}

// The client is told what server/discover told, without what is not bridged.
func TestWhatTheServerIsAndOffers(t *testing.T) {
	const (
		versions = `{"resultType":"complete","supportedVersions":["2026-07-28"],"ttlMs":0,"cacheScope":"private",`
		offers   = `"capabilities":{"tools":{"listChanged":true},"tasks":{"list":{}},"logging":{},"completions":{},"extensions":{"io.modelcontextprotocol/tasks":{},"com.example/ui":{"n":1.0}}}`
		left     = `"tools":{"listChanged":true},"logging":{}`
	)
	for _, c := range []struct{ name, version, discovered, want string }{
		{"all of it", mcptest.V20251125, offers + `,"instructions":"be k\u0069nd","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1","x":1.0}}`,
			`{"protocolVersion":"2025-11-25","capabilities":{` + left + `,"completions":{},"extensions":{"com.example/ui":{"n":1.0}}},"serverInfo":{"name":"s","version":"1","x":1.0},"instructions":"be k\u0069nd"}`},
		{"a server without a name", mcptest.V20250618, `"capabilities":{}`,
			`{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"mcp","version":"unknown"}}`},
		{"completions are younger", mcptest.V20241105, offers,
			`{"protocolVersion":"2024-11-05","capabilities":{` + left + `,"extensions":{"com.example/ui":{"n":1.0}}},"serverInfo":{"name":"mcp","version":"unknown"}}`},
	} {
		w := newWorld(t)
		w.upstream.Handle("server/discover", mcptest.Always(mcptest.Reply{Result: versions + c.discovered + `}`}))
		if got := string(w.connect(c.version).Server); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestPingNeedsNoSession(t *testing.T) {
	w := newWorld(t)
	for name, c := range map[string]*mcptest.Client{"before": mcptest.NewClient(t, w.url+"/mcp"), "after": w.connect(mcptest.V20250618)} {
		if reply := c.Request(`"p"`, "ping", ""); reply.Status() != http.StatusOK || reply.Body() != `{"jsonrpc":"2.0","id":"p","result":{}}` {
			t.Errorf("%s initialize: HTTP %d %s", name, reply.Status(), reply.Body())
		}
	}
	if n := len(w.upstream.Attempts("ping")); n != 0 {
		t.Errorf("%d went up", n)
	}
}
