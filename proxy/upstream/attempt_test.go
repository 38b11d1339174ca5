package upstream

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

// A request goes up with its own bytes, an id of its own, and the headers of the protocol, each once.
func TestRequestOnTheWire(t *testing.T) {
	s := serve(t, say(200, "application/json", result(`{}`)))
	u := to(t, s, func(o *Options) {
		o.Headers = http.Header{"x-api-key": {"k3y"}, "Accept": {"text/html"}, "Mcp-Name": {"evil"}, "Mcp-Session-Id": {"evil"}, "Host": {"server.example"}}
	})
	for _, tc := range []struct{ message, name, params string }{
		{`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"deploy","arguments":{"n":1.0}}}`, "deploy", `"name":"deploy","arguments":{"n":1.0}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"b\u00fasqueda","task":{},"requestState":"old"}}`, "=?base64?YsO6c3F1ZWRh?=", `"name":"b\u00fasqueda"}`},
		{`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"file:///a%20b"}}`, "file:///a%20b", `"uri":"file:///a%20b"}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, "", ``},
	} {
		c := request(t, tc.message)
		if _, _, err := try(t, u, c, Retry{}); err != nil {
			t.Fatalf("%s: %v", tc.message, err)
		}
		seen := s.requests()
		q := seen[len(seen)-1]
		want := map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28",
			"Mcp-Method": c.Method, "Mcp-Name": tc.name, "X-Api-Key": "k3y", "Mcp-Session-Id": "", "Authorization": "",
		}
		for k, v := range want {
			if got := q.header.Values(k); strings.Join(got, "|") != v || v != "" && len(got) != 1 {
				t.Errorf("%s: %s %q, want %q", c.Method, k, got, v)
			}
		}
		if !strings.Contains(q.raw, tc.params) || !strings.Contains(q.raw, `"_meta":{`+meta+`}`) || strings.Contains(q.raw, "old") || strings.Contains(q.raw, `"x"`) {
			t.Errorf("went up as %s", q.raw)
		}
		if q.host != "server.example" || q.path != "/mcp" {
			t.Errorf("host %q, path %q", q.host, q.path)
		}
	}
	var ids []string
	for _, q := range s.requests() {
		ids = append(ids, q.id)
	}
	if slices.Sort(ids); len(slices.Compact(ids)) != 4 {
		t.Errorf("ids %q are not all different", ids)
	}
}

// An attempt carries this round's answers and state to the byte, and a progress token of its own.
func TestRetryOnTheWire(t *testing.T) {
	s := serve(t, say(200, "application/json", result(`{}`)))
	u := to(t, s)
	c := toolCall(t)
	c.Progress = true
	for _, r := range []Retry{{}, {Responses: []byte(`{"q":{"action":"accept","content":{"n":1.0}}}`), State: []byte(`"s\u0031"`)}, {State: []byte(`""`)}, {}} {
		_, _, _ = try(t, u, c, r)
		seen := s.requests()
		q := seen[len(seen)-1]
		if got := string(q.params["inputResponses"]); got != string(r.Responses) {
			t.Errorf("inputResponses %s, want %s", got, r.Responses)
		}
		if got := string(q.params["requestState"]); got != string(r.State) {
			t.Errorf("requestState %s, want %s", got, r.State)
		}
		if q.token == "" || q.token != q.id {
			t.Errorf("progress token %q of attempt %s", q.token, q.id)
		}
	}
}

// A request of the proxy's own has no client's bytes to start from.
func TestOwnRequest(t *testing.T) {
	s := serve(t, say(200, "application/json", result(`{}`)))
	u := to(t, s)
	for params, want := range map[string]string{"": `{"_meta":{` + meta + `}}`, " { } ": `{"_meta":{` + meta + `}}`, `{"cursor":"2"}`: `{"_meta":{` + meta + `},"cursor":"2"}`} {
		if _, _, err := try(t, u, &Call{Method: "tools/list", Params: []byte(params), Meta: []byte(meta)}, Retry{}); err != nil {
			t.Fatal(err)
		}
		seen := s.requests()
		if q := seen[len(seen)-1]; q.raw != `{"jsonrpc":"2.0","id":`+q.id+`,"method":"tools/list","params":`+want+`}` {
			t.Errorf("params %q went up as %s", params, q.raw)
		}
	}
}

// What comes back is told apart by resultType, and only an input_required is a value.
func TestOutcomes(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		types      []string
		want       Result
		reply      string
	}{
		{name: "complete", body: result(done), want: Result{Outcome: Complete, ResultType: "complete"}, reply: `{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"done"}]}}`},
		{name: "no resultType", body: result(`{"content":[]}`), want: Result{Outcome: Complete}, reply: `{"jsonrpc":"2.0","id":"x","result":{"content":[]}}`},
		{name: "escaped resultType", body: result(`{"resultType":"compl\u0065te"}`), want: Result{Outcome: Complete, ResultType: "complete"}, reply: `{"jsonrpc":"2.0","id":"x","result":{}}`},
		{name: "a final one of the route's", body: result(`{"resultType":"task"}`), types: []string{"task"}, want: Result{Outcome: Complete, ResultType: "task"}},
		{name: "input_required", body: result(ask), want: Result{Outcome: InputRequired, ResultType: "input_required", Requests: []byte(`{"q":{"method":"elicitation/create","params":{}}}`), State: []byte(`"s\u0031"`), Size: len(ask)}},
		{name: "state only", body: result(`{"resultType":"input_required","requestState":""}`), want: Result{Outcome: InputRequired, ResultType: "input_required", State: []byte(`""`), Size: len(`{"resultType":"input_required","requestState":""}`)}},
		{name: "error", body: rpcError(`{"code":-32050,"message":"no \u00e9","data":{"z":9007199254740993}}`), want: Result{Outcome: RPCError}, reply: `{"jsonrpc":"2.0","id":"x","error":{"code":-32050,"message":"no \u00e9","data":{"z":9007199254740993}}}`},
		{name: "error without id", body: `{"jsonrpc":"2.0","error":{"code":1,"message":""}}`, want: Result{Outcome: RPCError}, reply: `{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":"x"}`},
		{name: "error with null id", body: `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, want: Result{Outcome: RPCError}, reply: `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":""}}`},
	} {
		for _, how := range []string{"JSON", "stream"} {
			t.Run(tc.name+", "+how, func(t *testing.T) {
				script := say(200, "application/json; charset=utf-8", tc.body)
				if how == "stream" {
					script = say(200, "text/event-stream", "data: "+tc.body+"\n\n")
				}
				u := to(t, serve(t, script), func(o *Options) { o.ResultTypes = tc.types })
				got, res, err := try(t, u, toolCall(t), Retry{})
				if err != nil {
					t.Fatal(err)
				}
				if res.Outcome != tc.want.Outcome || res.ResultType != tc.want.ResultType || res.Size != tc.want.Size ||
					string(res.Requests) != string(tc.want.Requests) || string(res.State) != string(tc.want.State) || (res.State == nil) != (tc.want.State == nil) {
					t.Errorf("got %+v, want %+v", res, tc.want)
				}
				if tc.reply != "" && (len(got.replies) != 1 || got.replies[0] != tc.reply) {
					t.Errorf("replies %q, want %q", got.replies, tc.reply)
				}
				if res.Outcome == InputRequired && len(got.replies) != 0 {
					t.Errorf("an input_required went to the sink: %q", got.replies)
				}
			})
		}
	}
}

// Only three methods may ask for input.
func TestInputRequiredOnAnotherMethod(t *testing.T) {
	u := to(t, serve(t, say(200, "application/json", result(ask))))
	if _, _, err := try(t, u, request(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), Retry{}); err == nil || err.Reason != Protocol {
		t.Errorf("got %+v", err)
	}
}

// An error of the server passes whatever HTTP status it came with.
func TestServerErrorsPassAtAnyStatus(t *testing.T) {
	for _, status := range []int{200, 400, 404, 429, 500} {
		u := to(t, serve(t, say(status, "application/json", rpcError(`{"code":-32601,"message":"Method not found"}`))))
		if got, res, err := try(t, u, toolCall(t), Retry{}); err != nil || res.Outcome != RPCError || len(got.replies) != 1 {
			t.Errorf("HTTP %d: %+v %+v %q", status, err, res, got.replies)
		}
	}
}

// What is cut off goes again once if its method may be repeated and it carried nothing of a round trip; a call never does.
func TestResendAfterACut(t *testing.T) {
	const prompt = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}`
	for _, tc := range []struct {
		name, message string
		retry         Retry
		note          bool // told before the cut
		cuts          int32
		requests      int
	}{
		{"a list", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, Retry{}, false, 1, 2},
		{"a prompt", prompt, Retry{}, false, 1, 2},
		{"twice", prompt, Retry{}, false, 2, 2},
		{"with state", prompt, Retry{State: []byte(`""`)}, false, 1, 1},
		{"with answers", prompt, Retry{Responses: []byte(`{}`)}, false, 1, 1},
		{"after a notification", prompt, Retry{}, true, 1, 1},
		{"a call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"p"}}`, Retry{}, false, 1, 1},
		{"a completion", `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`, Retry{}, false, 1, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var n atomic.Int32
			s := raw(t, func(c net.Conn, q seen) {
				if n.Add(1) > tc.cuts {
					write(c, q, head+"Connection: close\r\n\r\n"+result(`{}`))
				} else if tc.note {
					write(c, q, sseHead+chunked(`data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}`+"\n\n"))
				}
			})
			_, _, err := try(t, to(t, s), request(t, tc.message), tc.retry)
			if got := len(s.requests()); got != tc.requests || (err == nil) != (int(tc.cuts) < tc.requests) {
				t.Errorf("%d requests and %+v, want %d requests", got, err, tc.requests)
			}
		})
	}
}

// An attempt ends when its caller's context does, and the server sees its connection closed.
func TestCancelClosesTheConnection(t *testing.T) {
	begun, closed := make(chan struct{}), make(chan struct{})
	u := to(t, serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		w.Header().Set("Content-Type", "text/event-stream")
		flush(w)
		close(begun)
		gone(r)
		close(closed)
	}))
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-begun; cancel(why) }()
	_, err := u.Attempt(ctx, toolCall(t), Retry{}, &sink{})
	if e := failure(t, err); e.Reason != Cancelled || !errors.Is(err, why) {
		t.Errorf("got %+v", e)
	}
	<-closed
	if _, err = u.Attempt(ctx, toolCall(t), Retry{}, &sink{}); failure(t, err).Reason != Cancelled {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// A client that takes no reply breaks the attempt, which is not sent again.
func TestSinkFails(t *testing.T) {
	s := serve(t, say(200, "application/json", result(`{}`)))
	u := to(t, s)
	why := errors.New("gone")
	_, err := u.Attempt(t.Context(), request(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), Retry{}, &sink{refuse: why})
	if e := failure(t, err); e.Reason != Broken || !errors.Is(err, why) || len(s.requests()) != 1 {
		t.Errorf("got %+v after %d requests", e, len(s.requests()))
	}
}

// Connections serve again, after a JSON reply, an event stream and an error page alike.
func TestConnectionsServeAgain(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		switch string(q.params["name"]) {
		case `"stream"`:
			say(200, "text/event-stream", "data: "+result(done)+"\n\n")(w, r, q)
		case `"page"`:
			say(502, "text/html", page)(w, r, q)
		default:
			say(200, "application/json", result(done))(w, r, q)
		}
	})
	u := to(t, s)
	for _, name := range []string{"json", "stream", "page", "stream", "json"} {
		_, _, _ = try(t, u, request(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`"}}`), Retry{})
	}
	for _, q := range s.requests() {
		if first := s.requests()[0]; q.from != first.from {
			t.Errorf("%s came over another connection", q.raw)
		}
	}
}

// Every attempt is counted, also one that is sent again.
func TestAttemptsAreCounted(t *testing.T) {
	m := metrics.New(prometheus.NewRegistry()).Route("/mcp")
	var body atomic.Value
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		say(200, "application/json", body.Load().(string))(w, r, q)
	})
	u := to(t, s, func(o *Options) { o.Metrics = m })
	for _, b := range []string{result(done), result(ask), rpcError(`{"code":1,"message":""}`), rpcError(`{"code":-32020,"message":""}`), `{`} {
		body.Store(b)
		_, _, _ = try(t, u, toolCall(t), Retry{})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _ = u.Attempt(ctx, toolCall(t), Retry{}, &sink{})
	want := map[metrics.AttemptOutcome]float64{metrics.AttemptComplete: 1, metrics.AttemptInputRequired: 1, metrics.AttemptError: 3, metrics.AttemptFailed: 1, metrics.AttemptCancelled: 1}
	for o, n := range want {
		if got := testutil.ToFloat64(m.Attempts(metrics.MethodToolsCall, o)); got != n {
			t.Errorf("%s: %v, want %v", o, got, n)
		}
	}
}
