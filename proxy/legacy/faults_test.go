package legacy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/legacy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// One of several initializes at once opens the session of a stream; the others would
// leave sessions behind that nobody ends.
func TestTwoInitializesAtOnceOpenOneSession(t *testing.T) {
	w := newWorld(t)
	c := w.openChannel()
	const n = 20
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { c.Post(initialize).Status() })
	}
	wg.Wait()
	opened := 0
	for range n {
		if c.stream.Response().Result != nil {
			opened++
		}
	}
	if opened != 1 {
		t.Errorf("%d sessions on one stream", opened)
	}
	w.upstream.AwaitListens(1)
	c.stream.Drop()
	w.awaitQuiet()
	w.upstream.AwaitListens(0)
}

// The stream of the HTTP+SSE transport carries replies, so a stop leaves it open for
// what still runs.
func TestAStopLetsAChannelAnswer(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Write: func(out *mcptest.Writer) {
		out.OpenStream()
		out.Wait(release)
		out.Result(mcptest.Text("done"))
	}}))
	c := w.openChannel()
	c.post(t, initialize)
	c.stream.Response()
	c.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"release"}}`)
	w.upstream.Await("tools/call", 1)
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		w.proxy.Drain(t.Context())
	}()
	mcptest.Eventually(t, "nothing new is taken", func() bool {
		return mcptest.NewClient(t, w.url+"/mcp").Post(initialize).Status() == http.StatusServiceUnavailable
	})
	close(release)
	if m := c.stream.Response(); m.Text() != "done" {
		t.Errorf("the running call got %s", m.Raw)
	}
	<-drained
	w.awaitQuiet()
}

// A body that never comes keeps no reply back: not that of who would not have read it.
func TestABodyThatNeverComesHoldsNobody(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	host := strings.TrimPrefix(w.url, "http://")
	for want, head := range map[string]string{
		"415": "POST /mcp HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n",
		"403": "POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n",
		"400": "GET /mcp HTTP/1.1\r\nHost: " + host + "\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + client.Session + "\r\nContent-Length: 5\r\n\r\n",
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = fmt.Fprint(conn, head)
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Errorf("%q, %v, want %s", line, err, want)
		}
	}
}

// Batches are the legacy server's business where it is passed through.
func TestABatchIsPassedThrough(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.Routes[0].Upstream.Era = upstream.Legacy })
	const reply = `[{"jsonrpc":"2.0","id":1,"result":{}}]`
	w.upstream.HandleHTTP(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(rw, reply)
	}))
	c := mcptest.NewClient(t, w.url+"/mcp")
	c.Session = "the-servers-own"
	if got := c.Post(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`); got.Status() != http.StatusOK || got.Body() != reply {
		t.Errorf("HTTP %d %s", got.Status(), got.Body())
	}
}

// A standing stream that is passed through is nothing that a stop waits for.
func TestAPassedStreamDoesNotHoldTheStop(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.Routes[0].Upstream.Era = upstream.Legacy })
	w.upstream.HandleHTTP(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
	}))
	c := mcptest.NewClient(t, w.url+"/mcp")
	c.Session = "the-servers-own"
	if st := c.Listen().Status(); st != http.StatusOK {
		t.Fatalf("GET: HTTP %d", st)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w.proxy.Drain(ctx)
	if ctx.Err() != nil {
		t.Error("an idle stream held the stop")
	}
}

// Progress that a second attempt moves beyond all numbers is not told.
func TestProgressNeverOverflows(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		r := mcptest.Reply{Result: mcptest.Text("done")}
		for _, n := range []string{`"progress":1e307,"total":1.7e308`, `"progress":1e308,"total":1.7e308`} {
			r.Before = append(r.Before, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+string(a.Meta("progressToken"))+`,`+n+`}}`)
		}
		if !a.IsRetry() {
			r.Result = mcptest.InputRequired(`"s"`)
		}
		return r
	})
	call := client.Request("1", "tools/call", `{"name":"x","_meta":{"progressToken":"p"}}`)
	if m := call.Response(); m.Text() != "done" {
		t.Fatalf("got %s", m.Raw)
	}
	for _, e := range call.Events() {
		if e.Data != "" && !json.Valid([]byte(e.Data)) {
			t.Errorf("no JSON: %s", e.Data[:min(len(e.Data), 200)])
		}
	}
}

// A client that asked for progress and hears of none is given an answer in time too.
func TestADeadlineHoldsWhereNoProgressIsSent(t *testing.T) {
	everyone, err := policy.ParsePattern("*")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(o *proxy.Options) {
		o.WaitingProgress, o.Deadlines = 0, []legacy.Deadline{{Client: everyone, After: 50 * time.Millisecond}}
	})
	client := w.connect(mcptest.V20250618)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	call := client.Request("1", "tools/call", `{"name":"x","_meta":{"progressToken":"p"}}`)
	call.Ask("roots/list")
	if m := call.Response(); !m.IsToolError() {
		t.Errorf("got %s", m.Raw)
	}
}
