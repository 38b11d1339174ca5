package modern_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

func progress(a *mcptest.Attempt, value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%s,"total":9}}`, a.Meta("progressToken"), value)
}

const logged = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"z":1.0}}}`

// Notifications come as they were sent, before the server says more.
func TestStreamsAreNotBuffered(t *testing.T) {
	w := newWorld(t)
	more := make(chan struct{})
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(s *mcptest.Writer) {
			s.OpenStream()
			s.Event(progress(a, "0.50"), logged, progress(a, "0.50"))
			s.Wait(more)
			s.Result(mcptest.Text("done"))
		}}
	})
	c := w.client()
	c.meta = `"progressToken":"mine"`
	s := c.call("")
	for _, want := range []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":0.50,"total":9}}`, logged,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":0.50,"total":9}}`,
	} {
		if m := s.Next(); string(m.Raw) != want {
			t.Errorf("got %s, want %s", m.Raw, want)
		}
	}
	close(more)
	if m := s.Response(); string(m.Raw) != `{"jsonrpc":"2.0","id":1,"result":`+mcptest.Text("done")+`}` || s.Header().Get("X-Accel-Buffering") != "no" {
		t.Errorf("%s", m.Raw)
	}
	w.want(0, "streams_open")
}

// A rule answers in the middle: the retry's progress begins anew, the client's goes on.
func TestProgressGrowsOverAttempts(t *testing.T) {
	w := newWorld(t, ruled(t, policy.Spec{Name: "r", Match: []byte(`{"method":"roots/list"}`), Action: "roots", Args: []byte(`[]`)}))
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		r := mcptest.Reply{Before: []string{progress(a, "1"), progress(a, "2")}, Result: mcptest.Text("done")}
		if !a.IsRetry() {
			r.Result = mcptest.InputRequired("", mcptest.Roots("q"))
		}
		return r
	})
	c := w.client()
	c.meta = `"progressToken":7`
	s := c.call("")
	var got []string
	for m := s.Next(); m.Method != ""; m = s.Next() {
		got = append(got, string(mcptest.Member(m.Params, "progress"))+"/"+string(mcptest.Member(m.Params, "total")))
	}
	if want := "1/9 2/9 3/11 4/11"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// A client that reads no stream gets its response all the same.
func TestJSONOnly(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Before: []string{logged}, Result: mcptest.Text("done")}))
	c := w.client()
	c.Header["Accept"] = []string{"application/json"}
	if s := c.call(""); s.IsEvents() || s.Response().Text() != "done" {
		t.Errorf("%s", s.Raw())
	}
	w.want(1, "messages_dropped_total", "direction", "downstream", "reason", "no_stream")
	if s := c.send("1", "subscriptions/listen", "", `"notifications":{}`); s.Status() != http.StatusNotAcceptable {
		t.Errorf("a listen: HTTP %d", s.Status())
	}
}

func TestSilentRequestsAreKeptAlive(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.KeepAlive = 10 * time.Millisecond })
	more := make(chan struct{})
	w.upstream.Handle("tools/call", func(*mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(s *mcptest.Writer) {
			s.Wait(more)
			s.Open(200, "application/json")
			s.Bytes(`{"jsonrpc":"2.0","id":`)
		}}
	})
	s := w.client().call("")
	s.AwaitComments(2)
	close(more)
	if m := s.Response(); m.Code() != -32603 { // it never said more
		t.Errorf("%s", m.Raw)
	}
}

// Closing the stream is how a client cancels (MCP, Cancellation), before a byte came and after.
func TestDisconnectCancels(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(s *mcptest.Writer) {
			if a.Number == 2 {
				s.OpenStream()
				s.Event(logged)
			}
			s.Hold()
		}}
	})
	for n := 1; n <= 2; n++ {
		s := w.client().call("")
		a := w.upstream.Await("tools/call", n)
		if n == 2 {
			s.Next()
		}
		s.Drop()
		a.AwaitCancelled(t)
		w.want(float64(n), "requests_total", "era", "modern", "method", "tools/call", "outcome", "cancelled")
	}
}

// A server that breaks off in its stream is an error on the client's.
func TestServerBreaksOff(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Before: []string{logged}, Cut: mcptest.BeforeResponse, Result: mcptest.Text("x")}))
	s := w.client().call("")
	if s.Next(); s.Response().Code() != -32603 {
		t.Errorf("%s", s.Raw())
	}
}

func TestListenIsPassedOn(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) {
		o.Routes[0].Upstream.Timeout, o.KeepAlive = 50*time.Millisecond, 20*time.Millisecond
	})
	c := w.client()
	const filter = `{"toolsListChanged":true,"resourceSubscriptions":["file:///x"]}`
	s := c.send(`"mine"`, "subscriptions/listen", "", `"notifications":`+filter)
	const meta = `"_meta":{"io.modelcontextprotocol/subscriptionId":"mine"}`
	if m := s.Next(); string(m.Raw) != `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+meta+`,"notifications":`+filter+`}}` {
		t.Fatalf("%s", m.Raw)
	}
	w.want(1, "streams_open", "kind", "listen")
	s.AwaitComments(5) // longer than the server may be silent elsewhere
	l := w.upstream.AwaitListens(1)[0]
	l.Notify("notifications/resources/updated", `"uri":"file:///x"`)
	if m := s.Next(); string(m.Raw) != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{`+meta+`,"uri":"file:///x"}}` {
		t.Errorf("%s", m.Raw)
	}
	l.End(true)
	if m := s.Response(); string(m.Raw) != `{"jsonrpc":"2.0","id":"mine","result":{"resultType":"complete",`+meta+`}}` {
		t.Errorf("%s", m.Raw)
	}
	w.want(0, "streams_open")
}

func TestListenEnds(t *testing.T) {
	listen := func(w *world) *mcptest.Stream {
		s := w.client().send("1", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
		s.Next()
		w.upstream.AwaitListens(1)
		return s
	}
	t.Run("by the client", func(t *testing.T) {
		w := newWorld(t)
		listen(w).Drop()
		w.upstream.AwaitListens(0)
	})
	t.Run("by the server's breaking off", func(t *testing.T) {
		w := newWorld(t)
		s := listen(w)
		w.upstream.Listens()[0].End(false)
		if m := s.Response(); m.Code() != -32603 {
			t.Errorf("%s", m.Raw)
		}
	})
	t.Run("by the daemon's stop", func(t *testing.T) {
		w := newWorld(t)
		s := listen(w)
		w.stop()
		if m := s.Response(); string(m.Result) != `{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":1}}` {
			t.Errorf("%s", m.Raw)
		}
		w.upstream.AwaitListens(0)
	})
}
