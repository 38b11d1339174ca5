package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// fatal is text of the kind that must not reach a log or a failure as it is.
const fatal = "\x1b[31m\u202eevil\u2028"

// A client that answers in ways it should not: the call goes on as it would without
// that, and every one of its POSTs is taken.
func TestClientsThatAnswerBadly(t *testing.T) {
	u, d := start(t, "answers: {on_client_error: fail}", "limits: {input_timeout: 1s}\n")
	u.Handle("tools/call", mcptest.Asking(`"secret-state"`, mcptest.Roots("r")))
	d.NeverLogs("secret-state", "file:///private", fatal)
	const private = `{"roots":[{"uri":"file:///private"}]}`
	for _, c := range []struct {
		name string
		// act is what the client does with the question.
		act    func(c *mcptest.Client, ask *mcptest.Message)
		reason string // of the failure; "" when the call ends well
		drops  float64
	}{
		{"twice", func(c *mcptest.Client, ask *mcptest.Message) {
			c.Answer(ask, private)
			c.Answer(ask, `{"roots":[]}`)
		}, "", 1},
		{"from another session first", func(c *mcptest.Client, ask *mcptest.Message) {
			other := mcptest.Connect(t, c.Endpoint, mcptest.V20250618, mcptest.EveryCapability)
			other.Answer(ask, `{"roots":[]}`)
			c.Answer(ask, private)
		}, "", 1},
		{"under ids that nobody has", func(c *mcptest.Client, ask *mcptest.Message) {
			for _, id := range []string{`1`, `"1"`, `""`, `-7`, `"` + strings.Repeat("x", 100_000) + `"`} {
				c.Answer(&mcptest.Message{ID: []byte(id)}, `{"roots":[]}`)
			}
			c.Answer(ask, private)
		}, "", 5},
		{"with the id written otherwise", func(c *mcptest.Client, ask *mcptest.Message) {
			escaped := fmt.Sprintf(`"\u%04x%s`, ask.ID[1], ask.ID[2:])
			c.Answer(&mcptest.Message{ID: []byte(escaped)}, private)
		}, "", 0},
		{"with nonsense", func(c *mcptest.Client, ask *mcptest.Message) {
			c.Answer(ask, `{"roots":"`+mcptest.Quote(fatal)[1:]+`}`)
		}, "invalid_response", 0},
		{"with no object", func(c *mcptest.Client, ask *mcptest.Message) { c.Answer(ask, `[1]`) }, "invalid_response", 0},
		{"with an error", func(c *mcptest.Client, ask *mcptest.Message) { c.Refuse(ask, -1, strings.Repeat(fatal, 10_000)) }, "handler_error", 0},
		{"never", func(*mcptest.Client, *mcptest.Message) {}, "timeout", 0},
		{"after its time", func(c *mcptest.Client, ask *mcptest.Message) {
			d.AwaitMetric(2, "mrtr_proxy_limit_trips_total", "limit", "input_timeout") // the row before had one
			c.Answer(ask, private)
		}, "timeout", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
			before := d.Metrics().Sum("mrtr_proxy_messages_dropped_total", "reason", "late_answer")
			reply := client.CallTool("7", "release", `{}`)
			c.act(client, reply.Ask("roots/list"))
			m := theOneResponse(t, reply, "7")
			if f := m.Failure(); c.reason == "" && !strings.Contains(m.Text(), "file:///private") || c.reason != "" && (f == nil || f.Reason != c.reason) {
				t.Errorf("%.600s", m.Raw)
			}
			if len(m.Raw) > 2000 || strings.ContainsAny(m.Text(), fatal[:1]+"\u202e\u2028") {
				t.Errorf("%d bytes: %.600s", len(m.Raw), m.Raw)
			}
			d.AwaitMetric(before+c.drops, "mrtr_proxy_messages_dropped_total", "reason", "late_answer")
			awaitQuiet(d)
		})
	}
}

// A server that asks for what it must not, or in forms that hurt: nobody is asked, and
// the client has one failure, short and clean.
func TestServersThatAskBadly(t *testing.T) {
	u, d := start(t, "", "")
	d.NeverLogs(fatal)
	roots := `{"method":"roots/list"}`
	form := func(schema string) string {
		return `{"method":"elicitation/create","params":{"mode":"form","message":"m","requestedSchema":` + schema + `}}`
	}
	var many []string
	for i := range 20_000 {
		many = append(many, fmt.Sprintf(`"k%d":%s`, i, roots))
	}
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 100) + `{}` + strings.Repeat(`}}`, 100)
	for _, c := range []struct {
		name   string
		asks   string // the value of inputRequests, after an ask that is well where it is an object
		kind   string
		method string
	}{
		{"null", `null`, "protocol", ""},
		{"an array", `[{"method":"roots/list"}]`, "protocol", ""},
		{"an entry that is no object", `{"a":` + roots + `,"b":7}`, "protocol", ""},
		{"a key twice", `{"a":` + roots + `,"\u0061":` + roots + `}`, "protocol", ""},
		{"an unknown method", `{"a":` + roots + `,"b":{"method":` + mcptest.Quote(strings.Repeat(fatal, 1000)) + `}}`, "protocol", ""},
		{"a method of another kind", `{"a":{"method":"tools/call","params":{}}}`, "protocol", ""},
		{"a key that hurts", `{"a":` + roots + `,` + mcptest.Quote(strings.Repeat(fatal, 1000)) + `:7}`, "protocol", ""},
		{"params that are no object", `{"a":{"method":"roots/list","params":[]}}`, "protocol", ""},
		{"a form that refers to itself", `{"a":` + roots + `,"b":` + form(`{"type":"object","properties":{"x":{"$ref":"#"}}}`) + `}`, "protocol", ""},
		{"a form that is deep", `{"b":` + form(deep) + `}`, "protocol", ""},
		{"a form of 100 KiB", `{"b":` + form(`{"type":"object","properties":{},"x":"`+strings.Repeat("x", 100<<10)+`"}`) + `}`, "protocol", ""},
		{"a pattern", `{"b":` + form(`{"type":"object","properties":{"x":{"type":"string","pattern":"(a+)+$"}}}`) + `}`, "", ""},
		{"17 asks", `{` + strings.Join(many[:17], ",") + `}`, "mrtr_round_limit", ""},
		{"20000 asks", `{` + strings.Join(many, ",") + `}`, "mrtr_round_limit", ""},
		{"on a list", `{"a":` + roots + `}`, "protocol", "tools/list"},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, mcptest.EveryCapability)
			method := "tools/call"
			if c.method != "" {
				method = c.method
			}
			u.Handle(method, mcptest.Always(mcptest.Reply{Result: `{"resultType":"input_required","inputRequests":` + c.asks + `}`}))
			reply := client.Request("7", method, `{"name":"release"}`)
			if c.kind == "" { // nothing is wrong with it
				client.Answer(reply.Ask("elicitation/create"), `{"action":"accept","content":{"x":"`+strings.Repeat("a", 60)+`!"}}`)
				u.Handle(method, mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
				return
			}
			m := theOneResponse(t, reply, "7")
			if f := m.Failure(); f == nil || f.Kind != c.kind || len(m.Raw) > 2000 {
				t.Errorf("%d bytes: %.600s", len(m.Raw), m.Raw)
			}
			if text := m.Text() + m.ErrorText(); strings.ContainsAny(text, "\x1b\u202e\u2028") {
				t.Errorf("not clean: %q", text)
			}
			awaitQuiet(d)
		})
	}
}

// A server whose responses are not what they should be.
func TestServersThatAnswerBadly(t *testing.T) {
	u, d := start(t, "", "")
	d.NeverLogs(fatal)
	raw := func(body string) mcptest.Reply {
		return mcptest.Reply{Write: func(w *mcptest.Writer) { w.Open(200, "application/json"); w.Bytes(body) }}
	}
	event := func(body string) mcptest.Reply {
		return mcptest.Reply{Write: func(w *mcptest.Writer) { w.OpenStream(); w.Bytes("data: " + body + "\n\n") }}
	}
	for _, c := range []struct {
		name  string
		reply mcptest.Reply
	}{
		{"to another id", raw(`{"jsonrpc":"2.0","id":"not yours","result":{"content":[]}}`)},
		{"to another id on a stream", event(`{"jsonrpc":"2.0","id":999999999999999999999,"result":{"content":[]}}`)},
		{"to no id", raw(`{"jsonrpc":"2.0","result":{"content":[]}}`)},
		{"with a result and an error", raw(`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`)},
		{"with a request", raw(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`)},
		{"with an array", raw(`[{"jsonrpc":"2.0","id":1,"result":{}}]`)},
		{"with HTML", mcptest.Reply{Status: 502, Write: func(w *mcptest.Writer) { w.Open(502, "text/html"); w.Bytes("<h1>" + fatal) }}},
		{"with a type that hurts", mcptest.Reply{Write: func(w *mcptest.Writer) { w.Open(200, "x/"+strings.Repeat("y", 4000)); w.Bytes("x") }}},
		{"with UTF-16", raw("\xff\xfe{\x00}\x00")},
		{"with nothing", mcptest.Reply{Cut: mcptest.WithoutResponse}},
		{"with no HTTP at all", mcptest.Reply{Write: func(w *mcptest.Writer) { w.TakeOver(strings.Repeat(fatal, 100)) }}},
		{"with an unknown resultType", mcptest.Reply{Result: `{"resultType":` + mcptest.Quote(strings.Repeat(fatal, 1000)) + `}`}},
		{"with a state that is no string", mcptest.Reply{Result: `{"resultType":"input_required","requestState":7}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
			u.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply { return c.reply })
			m := theOneResponse(t, client.CallTool(`"seven"`, "release", `{}`), `"seven"`)
			if text := m.Text() + m.ErrorText(); m.Result != nil && m.Failure() == nil || len(m.Raw) > 2000 || strings.ContainsAny(text, "\x1b\u202e\u2028") {
				t.Errorf("%d bytes: %.600q", len(m.Raw), m.Raw)
			}
		})
	}
	awaitQuiet(d)
}
