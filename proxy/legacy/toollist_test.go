package legacy_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

func tool(name, properties string) string {
	return `{"name":"` + name + `","inputSchema":{"type":"object","properties":{` + properties + `}}}`
}

const (
	ownerInHeader = `"owner":{"type":"string","x-mcp-header":"Owner"},"opt":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},"free":true`
	ownerRenamed  = `"owner":{"type":"string","x-mcp-header":"Who"}`
)

// The server gets what its tools want in headers, whether or not the client has listed them, and after a change; the
// client's own headers never go up.
func TestArgumentsGoIntoHeaders(t *testing.T) {
	w := newWorld(t)
	w.upstream.Tools(mcptest.PlainTool, tool("issue", ownerInHeader))
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
	client := w.connect(mcptest.V20251125)
	client.Header.Set("Mcp-Param-Owner", "evil")
	client.Header.Set("Mcp-Param-Other", "evil")
	call := func(want int) {
		t.Helper()
		w.upstream.TakeFaults()
		before := len(w.upstream.Attempts("tools/call"))
		reply := client.CallTool("1", "issue", `{"owner":"Ann Lée","opt":{"n":7,"x":null},"free":1.50}`).Response()
		if reply.Error != nil {
			t.Fatalf("the call fails: %s", reply.Raw)
		}
		if n := len(w.upstream.Attempts("tools/call")) - before; n != want {
			t.Errorf("%d attempts, want %d", n, want)
		}
	}
	call(1)
	client.Request("2", "tools/list", "").Response()
	call(1)
	w.upstream.Tools(tool("issue", ownerRenamed))
	call(2)
	call(1)
	for _, a := range w.upstream.Attempts("") {
		for name, values := range a.Header {
			if strings.Contains(strings.Join(values, ""), "evil") {
				t.Errorf("%s: the client's header %s went up", a.Method, name)
			}
		}
	}
	if got := w.sum("attempts_total", "method", "tools/call"); got != 5 {
		t.Errorf("%v attempts are counted", got)
	}
	if got := w.sum("requests_total", "method", "tools/list"); got != 1 {
		t.Errorf("%v lists of clients are counted, want the client's own", got)
	}
}

// A tool with invalid annotations is left out of every page, and takes no other with it.
func TestInvalidToolsAreNotShown(t *testing.T) {
	w := newWorld(t)
	good := []string{tool("good", ownerInHeader), tool("plain", `"x-mcp-header":{"type":"number"}`)}
	bad := []string{
		tool("bad-number", `"n":{"type":"number","x-mcp-header":"N"}`),
		tool("bad-items", `"l":{"items":{"type":"string","x-mcp-header":"N"}}`),
		tool("bad-escaped", `"n":{"type":"string","x\u002dmcp-header":""}`),
	}
	w.upstream.Handle("tools/list", func(a *mcptest.Attempt) mcptest.Reply {
		page := `"tools":[` + strings.Join(slices.Concat(bad, good), ",") + `]`
		if a.Param("cursor") == nil {
			page = `"tools":[` + bad[0] + `],"nextCursor":"2"`
		}
		return mcptest.Reply{Result: `{"resultType":"complete",` + page + `,"ttlMs":0,"cacheScope":"public"}`}
	})
	client := w.connect(mcptest.V20251125)
	if first := client.Request("1", "tools/list", "").Response(); string(first.Result) != `{"tools":[],"nextCursor":"2"}` {
		t.Errorf("first page: %s", first.Result)
	}
	second := string(client.Request("2", "tools/list", `{"cursor":"2"}`).Response().Result)
	if strings.Contains(second, "bad") || !strings.Contains(second, `"good"`) || !strings.Contains(second, good[1]) {
		t.Errorf("second page: %s", second)
	}
}

// What is remembered of a list that went down before is of that list alone. It is long enough to be remembered.
func TestAListThatComesAgain(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20251125)
	filler := strings.Repeat(tool("plain", "")+",", 30)
	for _, c := range []struct{ tool, want string }{
		{tool("a", `"x":{"additionalProperties":false}`), ""},
		{tool("a", `"x":true`), tool("a", `"x":{}`)},
		{tool("a", `"x":{"type":"number","x-mcp-header":"N"}`), "]"},
		{tool("a", `"x":{"additionalProperties":true}`), ""},
	} {
		w.upstream.Handle("tools/list", mcptest.Always(mcptest.Reply{Result: `{"resultType":"complete","tools":[` + filler + c.tool + `],"ttlMs":0,"cacheScope":"public"}`}))
		want := c.want
		switch want {
		case "":
			want = filler + c.tool
		case "]":
			want = strings.TrimSuffix(filler, ",") + want
		default:
			want = filler + want
		}
		for range 3 {
			if got := string(client.Request("1", "tools/list", "").Response().Result); !strings.Contains(got, want) {
				t.Errorf("…%s, want …%s in it", got[max(0, len(got)-300):], want[len(want)-200:])
			}
		}
	}
}

// Names that are the same once decoded keep no tool from being looked at, whether they stand before or behind them, and
// nothing is remembered of the tools then that is not so.
func TestNamesThatDecodeAlikeHideNoTool(t *testing.T) {
	const halves = `"\ud800":1,"\udc00":2`
	bad := tool("bad", `"n":{"type":"number","x-mcp-header":"N"}`)
	tools := `"tools":[` + strings.Repeat(tool("plain", "")+",", 30) + bad + `,` + tool("a", `"x":true`) + `]`
	for _, form := range []string{halves + "," + tools, tools + "," + halves} {
		w := newWorld(t)
		client := w.connect(mcptest.V20251125)
		for _, members := range []string{form, form, tools, tools} {
			w.upstream.Handle("tools/list", mcptest.Always(mcptest.Reply{Result: `{"resultType":"complete",` + members + `,"ttlMs":0,"cacheScope":"public"}`}))
			got := string(client.Request("1", "tools/list", "").Response().Result)
			if strings.Contains(got, `"bad"`) || strings.Contains(got, `"x":true`) || strings.Contains(got, "resultType") || strings.Contains(members, halves) != strings.Contains(got, halves) {
				t.Errorf("%.60s: %.60s…%s", members, got, got[max(0, len(got)-220):])
			}
		}
	}
}

// A warning of a route's upstream named the route twice.
func TestTheLogNamesTheRouteOnce(t *testing.T) {
	w := newWorld(t)
	core, logs := observer.New(zap.InfoLevel)
	w.shared.Log = zap.New(core)
	p := proxy.New(w.shared, w.options)
	defer p.Close()
	w.upstream.HandleHTTP(http.NotFoundHandler())
	_ = mcptest.NewClient(t, mcptest.Serve(t, p)+"/mcp").Request("1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`).End()
	entries := logs.FilterMessageSnippet("era").All()
	if len(entries) == 0 {
		t.Fatalf("nothing is said of the era: %v", logs.All())
	}
	for _, e := range entries {
		routes := 0
		for _, f := range e.Context {
			if f.Key == "route" {
				routes++
			}
		}
		if routes != 1 {
			t.Errorf("%q names the route %d times", e.Message, routes)
		}
	}
}

// A member that comes twice is two members.
func TestSchemasThatComeTwice(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20251125)
	const first, second = `"inputSchema":{"type":"object","properties":{"x":true}}`, `"inputSchema":{"type":"object","properties":{"y":{"type":"string"}}}`
	w.upstream.Handle("tools/list", mcptest.Always(mcptest.Reply{Result: `{"resultType":"complete","tools":[{"name":"a",` + first + `,` + second + `}],"ttlMs":0,"cacheScope":"public"}`}))
	want := strings.Replace(first, "true", "{}", 1) + `,` + second
	if got := string(client.Request("1", "tools/list", "").Response().Result); !strings.Contains(got, want) {
		t.Errorf("%s, want %s in it", got, want)
	}
}
