package legacy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

// A reply is one JSON body as long as nothing has to be told before the response.
func TestAReplyIsJSONUntilSomethingStreams(t *testing.T) {
	const note = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1.0}}`
	for _, c := range []struct {
		name   string
		accept []string
		reply  mcptest.Reply
		events bool
		notes  int
	}{
		{"a response alone", nil, mcptest.Reply{}, false, 0},
		{"a response alone, in a stream", nil, mcptest.Reply{Stream: true}, false, 0},
		{"a message before it", nil, mcptest.Reply{Before: []string{note}}, true, 1},
		{"a client that reads no stream", []string{"application/json"}, mcptest.Reply{Before: []string{note}}, false, 0},
		{"a client that reads nothing else", []string{"text/event-stream"}, mcptest.Reply{}, true, 0},
	} {
		w := newWorld(t)
		c.reply.Result = mcptest.Text("done")
		w.upstream.Handle("tools/call", mcptest.Always(c.reply))
		client := w.connect(mcptest.V20250618)
		client.Header["Accept"] = c.accept
		if c.accept == nil {
			client.Header["Accept"] = []string{"application/json, text/event-stream"}
		}
		reply := client.CallTool("1", "release", `{}`)
		if reply.IsEvents() != c.events || c.events && (reply.Header().Get("X-Accel-Buffering") != "no" || reply.Header().Get("Cache-Control") != "no-cache") {
			t.Errorf("%s: %v", c.name, reply.Header())
		}
		for range c.notes {
			if m := reply.Next(); string(m.Raw) != note {
				t.Errorf("%s: got %s", c.name, m.Raw)
			}
		}
		if m := reply.Response(); m.Text() != "done" {
			t.Errorf("%s: got %s", c.name, m.Raw)
		}
	}
}

// With no answer for a while, a reply becomes a stream of comments.
func TestASlowReplyIsKeptAlive(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.KeepAlive = 10 * time.Millisecond })
	release := make(chan struct{})
	w.upstream.Handle("tools/call", func(*mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(out *mcptest.Writer) { out.Wait(release); out.OpenStream(); out.Result(mcptest.Text("done")) }}
	})
	reply := w.connect(mcptest.V20250618).CallTool("1", "release", `{}`)
	reply.AwaitComments(3)
	close(release)
	if m := reply.Response(); m.Text() != "done" {
		t.Errorf("got %s", m.Raw)
	}
}

// 404 means to a legacy client that its session is gone, and 400 that its request is
// broken: a server's own errors travel on 200, with their bytes.
func TestServerErrorsTravelOnHTTP200(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	const fault = `{"code":-32601,"message":"no such m\u0065thod","data":{"n":9007199254740993}}`
	for _, status := range []int{200, 400, 404, 500} {
		w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Status: status, Error: fault}))
		reply := client.CallTool(`"\u0061"`, "release", `{}`)
		if got := reply.Body(); reply.Status() != http.StatusOK || got != `{"jsonrpc":"2.0","id":"\u0061","error":`+fault+`}` {
			t.Errorf("HTTP %d came down as HTTP %d %s", status, reply.Status(), got)
		}
	}
}
