package modern_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// What the headers say is held against the body (MCP, Streamable HTTP, Server Validation).
func TestHeadersAreHeldAgainstTheBody(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
	c := w.client()
	const (
		version, method, name = "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"
		mismatch, invalid     = -32020, -32602
	)
	good := c.body("1", "tools/call", `"name":"release"`)
	for _, tc := range []struct {
		what   string
		body   string
		header http.Header // in place of the good ones
		code   int
	}{
		{"all is well", good, nil, 0},
		{"an encoded name", good, http.Header{name: {"=?base64?cmVsZWFzZQ==?="}}, 0},
		{"a session that is none", good, http.Header{"Mcp-Session-Id": {"stale"}, "Last-Event-Id": {"1"}}, 0},
		{"no version", good, http.Header{version: nil}, mismatch},
		{"another version", good, http.Header{version: {"2025-11-25"}}, mismatch},
		{"the version twice", good, http.Header{version: {mcptest.ModernVersion, mcptest.ModernVersion}}, mismatch},
		{"no method", good, http.Header{method: nil}, mismatch},
		{"another method", good, http.Header{method: {"tools/list"}}, mismatch},
		{"the method in capitals", good, http.Header{method: {"Tools/Call"}}, mismatch},
		{"the method twice", good, http.Header{method: {"tools/call", "tools/call"}}, mismatch},
		{"no name", good, http.Header{name: nil}, mismatch},
		{"another name", good, http.Header{name: {"deploy"}}, mismatch},
		{"the name twice", good, http.Header{name: {"release", "release"}}, mismatch},
		{"a name in broken Base64", good, http.Header{name: {"=?base64?cmVsZWFzZQ?="}}, mismatch},
		{"a header alone", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"release"}}`, nil, invalid},
		{"no params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, nil, invalid},
		{"no capabilities", strings.Replace(good, "clientCapabilities", "other", 1), nil, invalid},
		{"capabilities that are none", strings.Replace(good, c.capabilities, "true", 1), nil, invalid},
		{"capabilities said twice", strings.Replace(good, c.capabilities, `{"roots":{},"roots":{}}`, 1), nil, invalid},
		{"a name that is none", strings.Replace(good, `"release"`, `7`, 1), nil, invalid},
		{"a version that is none", strings.Replace(good, `"2026-07-28"`, `7`, 1), nil, invalid},
		{"a later version", strings.Replace(good, "2026-07-28", "2027-01-01", 1), http.Header{version: {"2027-01-01"}}, -32022},
		{"an earlier version", strings.Replace(good, "2026-07-28", "2025-11-25", 1), http.Header{version: {"2025-11-25"}}, -32022},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, -32600},
	} {
		h := header("tools/call", "release")
		for k, v := range tc.header {
			h[k] = v
		}
		s := c.Do(http.MethodPost, tc.body, h)
		m := s.Response()
		want := http.StatusOK
		if tc.code != 0 {
			want = http.StatusBadRequest
		}
		if s.Status() != want || m.Code() != tc.code || s.Header().Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: HTTP %d %s, want %d", tc.what, s.Status(), m.Raw, tc.code)
		}
		if tc.code == -32022 && !strings.Contains(string(m.Error), `"data":{"supported":["2026-07-28"],"requested":"202`) {
			t.Errorf("%s: %s", tc.what, m.Error)
		}
	}
	w.want(3, "client_revisions_total", "client", "other", "requested", mcptest.ModernVersion, "negotiated", mcptest.ModernVersion)
	w.want(2, "client_revisions_total", "negotiated", "none")
	if n := len(w.upstream.Attempts("tools/call")); n != 3 {
		t.Errorf("%d calls went up, want 3", n)
	}
}

func TestOnlyPostIsServed(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		s := c.Do(method, "", http.Header{"Mcp-Protocol-Version": {mcptest.ModernVersion}})
		if s.Status() != http.StatusMethodNotAllowed || s.Header().Get("Allow") != "POST" {
			t.Errorf("%s: HTTP %d, Allow %q", method, s.Status(), s.Header().Get("Allow"))
		}
	}
	if s := c.Do(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, header("notifications/cancelled", "")); s.Status() != http.StatusAccepted {
		t.Errorf("a notification: HTTP %d", s.Status())
	}
}

// A request goes up, and its response comes down, with the bytes that they have.
func TestBytesAreKept(t *testing.T) {
	w := newWorld(t)
	const result = `{ "content":[ ],"ttlMs" : 5,"resultType":"complete" , "structuredContent":[1.50, 9007199254740993],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"\u0061"}},"cacheScope":"public"}`
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: result}))
	c := w.client()
	c.meta = `"x" : 9007199254740993,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"`
	body := " " + c.body(`"\u0061\/"`, "tools/call", `"arguments" : {"b":1.0,"a":"\u00e9"}, "name":"relea\u0073e"`)
	s := c.Do(http.MethodPost, body, header("tools/call", "release"))
	if got, want := s.Body(), `{"jsonrpc":"2.0","id":"\u0061\/","result":`+result+`}`; got != want {
		t.Errorf("came down as\n%s\nwant\n%s", got, want)
	}
	a := w.upstream.Await("tools/call", 1)
	if got, want := string(a.Body), strings.Replace(body[1:], `"\u0061\/"`, string(a.ID), 1); got != want || string(a.ID) == `"\u0061\/"` {
		t.Errorf("went up as\n%s\nwant\n%s", got, want)
	}
}

func TestLongResponseIsStreamed(t *testing.T) {
	w := newWorld(t)
	result := `{"ttlMs":1,"content":[{"type":"text","text":"` + strings.Repeat("x", 3<<20) + `"}],"resultType":"complete"}`
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: result}))
	if got, want := w.client().call("").Body(), `{"jsonrpc":"2.0","id":1,"result":`+result+`}`; got != want {
		t.Errorf("%d bytes came down, want %d", len(got), len(want))
	}
}

// Errors keep their bytes, and the status that goes with them.
func TestErrorsPass(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	for _, tc := range []struct {
		status int
		err    string
		want   int
	}{
		{200, `{"code":-32602,"message":"no such tool","data":{ "a" : 1.0 }}`, 200},
		{400, `{"code":-32602,"message":"no such tool"}`, 400},
		{404, `{"code":-32601,"message":"Method not found"}`, 404},
		{200, `{"code":-32601,"message":"Method not found"}`, 404},
		{400, `{"code":-32021,"message":"m","data":{"requiredCapabilities":{"sampling":{}}}}`, 400},
		{400, `{"code":-32020,"message":"Header mismatch: Mcp-Param-X"}`, 400},
		{200, `{"code":-32002,"message":"not found"}`, 200},
		{500, `{"code":-32603,"message":"broken"}`, 500},
	} {
		w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Status: tc.status, Error: tc.err}))
		before := len(w.upstream.Attempts("tools/call"))
		s := c.call("")
		if m := s.Response(); s.Status() != tc.want || string(m.Error) != tc.err {
			t.Errorf("HTTP %d %s: came down as HTTP %d %s", tc.status, tc.err, s.Status(), m.Error)
		}
		if n := len(w.upstream.Attempts("tools/call")) - before; n != 1 {
			t.Errorf("%s: %d attempts", tc.err, n)
		}
	}
	w.upstream.TakeFaults()
}

func TestServerWithoutOurVersion(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Status: 400, Error: `{"code":-32022,"message":"no","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}`}))
	s := w.client().call("")
	if m := s.Response(); s.Status() != 400 || m.Code() != -32022 || string(mcptest.Member(m.Error, "data", "supported")) != `[]` {
		t.Errorf("HTTP %d %s", s.Status(), m.Raw)
	}
}

func TestUnusableServers(t *testing.T) {
	w := newWorld(t)
	c := w.client()
	for _, reply := range []mcptest.Reply{
		{Cut: mcptest.BeforeHeaders, Result: mcptest.Text("x")},
		{Cut: mcptest.MidMessage, Result: mcptest.Text("x")},
		{Cut: mcptest.WithoutResponse, Stream: true, Result: mcptest.Text("x")},
		{Result: `{"resultType":"surprise"}`},
	} {
		w.upstream.Handle("tools/call", mcptest.Always(reply))
		s := c.call("")
		m := s.Response()
		if s.Status() != 200 || m.Code() != -32603 && !m.IsToolError() {
			t.Errorf("HTTP %d %s", s.Status(), m.Raw)
		}
		if m.IsToolError() && string(mcptest.Member(m.Result, "resultType")) != `"complete"` {
			t.Errorf("no modern result: %s", m.Raw)
		}
	}
}

func TestChallengePasses(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Status: 401, Error: `{"code":-32600,"message":"who"}`, Header: http.Header{"Www-Authenticate": {`Bearer realm="x"`}}}))
	s := w.client().call("")
	if s.Response(); s.Status() != 401 || s.Header().Get("Www-Authenticate") != `Bearer realm="x"` {
		t.Errorf("HTTP %d, %v", s.Status(), s.Header())
	}
}

// Arguments that are mirrored into headers are between the client and the server.
func TestMirroredArgumentsPass(t *testing.T) {
	w := newWorld(t)
	w.upstream.Tools(`{"name":"release","inputSchema":{"type":"object","properties":{"r":{"type":"string","x-mcp-header":"Region"}}}}`)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
	c := w.client()
	h := header("tools/call", "release")
	h["Mcp-Param-Region"], h["X-Other"] = []string{"=?base64?w6k=?="}, []string{"1"}
	if m := c.Do(http.MethodPost, c.body("1", "tools/call", `"name":"release","arguments":{"r":"é"}`), h).Response(); m.Text() != "done" {
		t.Errorf("%s", m.Raw)
	}
	if a := w.upstream.Await("tools/call", 1); a.Header["X-Other"] != nil {
		t.Error("another header went up")
	}
	if n := len(w.upstream.Attempts("tools/list")); n != 0 {
		t.Errorf("%d lists were asked for", n)
	}
}

// Tasks are taken out both ways, until rules can reach them.
func TestTasksAreTakenOut(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("server/discover", mcptest.Always(mcptest.Reply{Result: `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"ttlMs":7,"cacheScope":"private"}`}))
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
	c := w.client()
	if s := c.send("1", "tasks/get", "", `"taskId":"t"`); s.Status() != http.StatusNotFound || s.Response().Code() != -32601 {
		t.Errorf("tasks/get: HTTP %d %s", s.Status(), s.Raw())
	}
	if m := c.send("1", "server/discover", "", "").Response(); string(m.Result) != `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"extensions":{}},"ttlMs":7,"cacheScope":"private"}` {
		t.Errorf("server/discover: %s", m.Raw)
	}
	c.capabilities = `{"extensions":{"io.modelcontextprotocol/tasks":{},"a.b/c":{}}}`
	c.call(`"task":{"ttl":1}`).Response()
	a := w.upstream.Await("tools/call", 1)
	if a.Param("task") != nil || string(a.Capabilities()) != `{"extensions":{"a.b/c":{}}}` {
		t.Errorf("went up as %s", a.Body)
	}
}
