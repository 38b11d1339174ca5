package mcptest

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

const modernCall = `{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"release",` + modernMeta + `}}`

// modernClient sends what a strict modern server takes.
func modernClient(t testing.TB, u *Upstream) *Client {
	c := NewClient(t, u.URL())
	c.Header = http.Header{"Mcp-Protocol-Version": {ModernVersion}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"release"}}
	return c
}

func TestUpstreamServesAndRecords(t *testing.T) {
	u := NewUpstream(t)
	u.Handle("tools/call", Asking(`"s-1"`, Form("q", "Which port?", PortSchema), Roots("r")))
	c := modernClient(t, u)
	first := c.Post(modernCall).Response()
	want := `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"form","message":"Which port?","requestedSchema":` + PortSchema + `}},"r":{"method":"roots/list"}},"requestState":"s-1"}`
	if string(first.Result) != want {
		t.Errorf("result %s, want %s", first.Result, want)
	}
	retry := strings.Replace(modernCall, `"_meta"`, `"requestState":"s-1","inputResponses":{"q":{"action":"cancel"}},"_meta"`, 1)
	if got := c.Post(retry).Response().Text(); got != `{"q":{"action":"cancel"}}` {
		t.Errorf("text %q", got)
	}
	a := u.Await("tools/call", 2)
	if a.Number != 2 || a.Name() != "release" || string(a.State()) != `"s-1"` || string(a.Response("q")) != `{"action":"cancel"}` || !a.IsRetry() {
		t.Errorf("attempt %+v", a)
	}
}

func TestUpstreamRefusesWhatBreaksTheSpecification(t *testing.T) {
	body := func(old, with string) func(*Client) *Stream {
		return func(c *Client) *Stream { return c.Post(strings.Replace(modernCall, old, with, 1)) }
	}
	header := func(name string, values ...string) func(*Client) *Stream {
		return func(c *Client) *Stream { c.Header[name] = values; return c.Post(modernCall) }
	}
	for _, c := range []struct {
		name   string
		send   func(*Client) *Stream
		status int
		code   int
		fault  string
	}{
		{"GET", func(c *Client) *Stream { return c.Listen() }, 405, -32600, "HTTP method GET"},
		{"no JSON", body(`{"jsonrpc"`, `{{"jsonrpc"`), 400, -32700, "no JSON-RPC message"},
		{"a batch", func(c *Client) *Stream { return c.Post("[" + modernCall + "]") }, 400, -32700, "no object"},
		{"a repeated member", body(`"id":"1"`, `"id":"1","id":"2"`), 400, -32700, `"id" is repeated`},
		{"an unknown member", body(`"id":"1"`, `"id":"1","x":1`), 400, -32600, `no member "x"`},
		{"a notification", body(`"id":"1",`, ``), 400, -32600, "id  of tools/call"},
		{"id null", body(`"id":"1"`, `"id":null`), 400, -32600, "id null"},
		{"a fractional id", body(`"id":"1"`, `"id":1.5`), 400, -32600, "id 1.5"},
		{"no params", func(c *Client) *Stream { return c.Request("1", "tools/call", "") }, 400, -32602, "params are no object"},
		{"a repeated param", body(`"name":"release"`, `"name":"release","name":"x"`), 400, -32602, `"name" is repeated`},
		{"a session", header("Mcp-Session-Id", "x"), 400, -32600, "no Mcp-Session-Id"},
		{"half an Accept", header("Accept", "application/json"), 406, -32600, "lacks text/event-stream"},
		{"another type", header("Content-Type", "text/plain"), 415, -32600, "Content-Type"},
		{"no version header", header("Mcp-Protocol-Version"), 400, -32020, "0 values of Mcp-Protocol-Version"},
		{"two methods", header("Mcp-Method", "tools/call", "tools/call"), 400, -32020, "2 values of Mcp-Method"},
		{"another name", header("Mcp-Name", "other"), 400, -32020, `Mcp-Name is "other"`},
		{"no meta", body(modernMeta, `"x":1`), 400, -32020, "the body says"},
		{"no capabilities", body(`,"io.modelcontextprotocol/clientCapabilities":{}`, ``), 400, -32602, "clientCapabilities"},
		{"a boolean capability", body(`ities":{}`, `ities":{"elicitation":true}`), 400, -32602, "elicitation is true"},
		{"tasks", body(`ities":{}`, `ities":{"tasks":{}}`), 400, -32602, "declare tasks"},
		{"changing roots", body(`ities":{}`, `ities":{"roots":{"listChanged":true}}`), 400, -32602, "roots.listChanged"},
		{"an odd level", body(`"_meta":{`, `"_meta":{"io.modelcontextprotocol/logLevel":"loud",`), 400, -32602, "logLevel"},
		{"an odd token", body(`"_meta":{`, `"_meta":{"progressToken":1.5,`), 400, -32602, "progressToken 1.5"},
		{"a task", body(`"_meta"`, `"task":{},"_meta"`), 400, -32602, "params.task"},
		{"a state of an odd type", body(`"_meta"`, `"requestState":1,"_meta"`), 400, -32602, "requestState 1"},
		{"a wrapped answer", body(`"_meta"`, `"inputResponses":{"q":{"jsonrpc":"2.0","result":{}}},"_meta"`), 400, -32602, "no bare result"},
		{"a null answer", body(`"_meta"`, `"inputResponses":{"q":null},"_meta"`), 400, -32602, "no bare result"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var status, code int
			failures := record(t, func(tb testing.TB) {
				u := NewUpstream(tb)
				s := c.send(modernClient(tb, u))
				code, status = s.Response().Code(), s.Status()
			})
			if status != c.status || code != c.code {
				t.Errorf("HTTP %d, %d; want HTTP %d, %d", status, code, c.status, c.code)
			}
			if !strings.Contains(failures, c.fault) || failures == "" {
				t.Errorf("the test fails with %q, want %q", failures, c.fault)
			}
		})
	}
}

func TestMirroredArguments(t *testing.T) {
	u := NewUpstream(t)
	u.Tools(`{"name":"release","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}}`)
	u.Handle("tools/call", Always(Reply{Result: Text("ok")}))
	call := strings.Replace(modernCall, `"_meta"`, `"arguments":{"region":"Zürich","deep":{"n":7}},"_meta"`, 1)
	for _, c := range []struct {
		name      string
		region, n []string
		code      int
	}{
		{"as annotated", []string{"=?base64?WsO8cmljaA==?="}, []string{"7"}, 0},
		{"missing", nil, []string{"7"}, -32020},
		{"not encoded", []string{"Zürich"}, []string{"7"}, -32020},
		{"twice", []string{"=?base64?WsO8cmljaA==?="}, []string{"7", "7"}, -32020},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := modernClient(t, u)
			client.Header["Mcp-Param-Region"], client.Header["Mcp-Param-N"] = c.region, c.n
			if got := client.Post(call).Response().Code(); got != c.code {
				t.Errorf("code %d, want %d", got, c.code)
			}
		})
	}
	client := modernClient(t, u)
	client.Header.Set("Mcp-Param-Other", "x")
	if got := client.Post(modernCall).Response().Code(); got != -32020 {
		t.Errorf("a header that mirrors nothing: code %d", got)
	}
}

func TestUnknownMethodIs404(t *testing.T) {
	u := NewUpstream(t)
	s := modernClient(t, u).Post(modernCall)
	if m := s.Response(); s.Status() != http.StatusNotFound || m.Code() != -32601 {
		t.Errorf("HTTP %d %s", s.Status(), m.Raw)
	}
}

func TestRepliesBreakOffWhereTold(t *testing.T) {
	note := `{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`
	for _, c := range []struct {
		name   string
		reply  Reply
		status int // 0: no headers
		body   string
		end    error
	}{
		{"before headers", Reply{Cut: BeforeHeaders}, 0, "", io.EOF},
		{"after headers", Reply{Cut: AfterHeaders}, 200, "", io.ErrUnexpectedEOF},
		{"mid JSON", Reply{Cut: MidMessage, Result: `{"a":"1234567890"}`}, 200, `{"jsonrpc":"2.0","id":"1","`, io.ErrUnexpectedEOF},
		{"mid event", Reply{Cut: MidMessage, Stream: true, Result: `{}`}, 200, "event: message\ndata: {\"jsonrpc", io.ErrUnexpectedEOF},
		{"stream after headers", Reply{Cut: AfterHeaders, Before: []string{note}}, 200, "", io.ErrUnexpectedEOF},
		{"between events", Reply{Cut: BeforeResponse, Before: []string{note}}, 200, "event: message\ndata: " + note + "\n\n", io.ErrUnexpectedEOF},
		{"clean end without response", Reply{Cut: WithoutResponse, Before: []string{note}}, 200, "event: message\ndata: " + note + "\n\n", nil},
		{"clean end without JSON", Reply{Cut: WithoutResponse, Result: `{}`}, 200, "", nil},
		{"by hand", Reply{Write: func(w *Writer) { w.OpenStream(); w.Comment("x"); w.Break() }}, 200, ": x\n\n", io.ErrUnexpectedEOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := NewUpstream(t)
			u.Handle("tools/call", Always(c.reply))
			s := modernClient(t, u).Post(modernCall)
			if err := s.End(); !errors.Is(err, c.end) {
				t.Errorf("ends with %v, want %v", err, c.end)
			}
			if got := s.Raw(); got != c.body {
				t.Errorf("body %q, want %q", got, c.body)
			}
			if c.status != 0 && s.Status() != c.status {
				t.Errorf("HTTP %d", s.Status())
			}
		})
	}
}

func TestRefusedDials(t *testing.T) {
	u := NewUpstream(t)
	held := make(chan struct{})
	u.Handle("tools/call", Always(Reply{Write: func(w *Writer) { w.OpenStream(); close(held); w.Hold() }}))
	c := modernClient(t, u)
	open := c.Post(modernCall)
	<-held
	u.Refuse()
	if err := open.End(); err == nil {
		t.Error("the open reply ended cleanly")
	}
	if err := c.Post(modernCall).End(); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a dial ends with %v, want a refusal", err)
	}
	u.Accept()
	u.Handle("tools/call", Always(Reply{Result: Text("back")}))
	if got := c.Post(modernCall).Response().Text(); got != "back" {
		t.Errorf("text %q", got)
	}
}

func TestCancelledAttempt(t *testing.T) {
	u := NewUpstream(t)
	u.Handle("tools/call", Always(Reply{Write: func(w *Writer) { w.OpenStream(); w.Hold() }}))
	c := modernClient(t, u)
	s := c.Post(modernCall)
	a := u.Await("tools/call", 1)
	s.Drop()
	a.AwaitCancelled(t)

	u.Handle("tools/call", Always(Reply{Result: Text("done")}))
	c.Post(modernCall).Response()
	if got := record(t, func(tb testing.TB) { u.Await("tools/call", 2).AwaitCancelled(tb) }); !strings.Contains(got, "served to its end") {
		t.Errorf("an attempt that was served counts as cancelled: %q", got)
	}
}

func TestListen(t *testing.T) {
	u := NewUpstream(t)
	listen := `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`
	c := NewClient(t, u.URL())
	c.Header = http.Header{"Mcp-Protocol-Version": {ModernVersion}, "Mcp-Method": {"subscriptions/listen"}}
	s := c.Post(listen)
	ack := s.Notification("notifications/subscriptions/acknowledged")
	if string(Member(ack.Params, "notifications")) != `{"toolsListChanged":true}` || string(Member(ack.Params, "_meta", MetaSubscriptionID)) != "7" {
		t.Errorf("acknowledgement %s", ack.Raw)
	}
	l := u.AwaitListens(1)[0]
	if !l.Notify("notifications/tools/list_changed", "") {
		t.Error("the listen has ended")
	}
	s.Notification("notifications/tools/list_changed")
	l.End(true)
	if m := s.Response(); string(m.ID) != "7" {
		t.Errorf("response %s", m.Raw)
	}
	if l.Notify("notifications/tools/list_changed", "") {
		t.Error("a notification after the end")
	}
	u.AwaitListens(0)
}
