package legacy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// channel is a client of the HTTP+SSE transport: a stream, and where to post to.
type channel struct {
	*mcptest.Client // its Endpoint is the one for messages
	stream          *mcptest.Stream
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{"roots":{}},"clientInfo":{"name":"mcptest","version":"0.1"}}}`

// openChannel opens the stream and reads the endpoint.
func (w *world) openChannel() *channel {
	w.t.Helper()
	c := mcptest.NewClient(w.t, w.url+"/mcp/sse")
	s := c.Listen()
	if s.Status() != http.StatusOK {
		w.t.Fatalf("GET: HTTP %d", s.Status())
	}
	mcptest.Eventually(w.t, "the endpoint event", func() bool { return len(s.Events()) > 0 })
	first := s.Events()[0]
	if first.Type != "endpoint" || !strings.HasPrefix(first.Data, "/mcp/sse/message?sessionId=") {
		w.t.Fatalf("first event %+v", first)
	}
	c.Endpoint = w.url + first.Data
	return &channel{c, s}
}

// post sends a message, which is to be taken.
func (c *channel) post(t *testing.T, body string) {
	t.Helper()
	if reply := c.Post(body); reply.Status() != http.StatusAccepted {
		t.Fatalf("HTTP %d %s", reply.Status(), reply.Body())
	}
}

// A client may send its next message as soon as it has read the response to initialize.
func TestAChannelHasItsSessionWhenInitializeIsAnswered(t *testing.T) {
	w := newWorld(t)
	for range 40 {
		c := w.openChannel()
		c.post(t, initialize)
		if m := c.stream.Response(); m.Result == nil {
			t.Fatalf("%s", m.Raw)
		}
		c.post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		c.stream.Drop()
	}
	w.awaitQuiet()
}

func TestAChannelCarriesQuestions(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	c := w.openChannel()
	c.post(t, `{"jsonrpc":"2.0","id":"p","method":"ping"}`) // before there is a session
	if m := c.stream.Response(); string(m.ID) != `"p"` {
		t.Fatalf("%s", m.Raw)
	}
	if reply := c.Post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); reply.Status() != http.StatusBadRequest {
		t.Errorf("before initialize: HTTP %d", reply.Status())
	}
	c.post(t, initialize)
	c.stream.Response()
	c.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"release"}}`)
	ask := c.stream.Ask("roots/list")
	c.post(t, `{"jsonrpc":"2.0","id":`+string(ask.ID)+`,"result":`+rootsAnswer+`}`)
	if m := c.stream.Response(); string(m.ID) != "1" || !strings.Contains(m.Text(), "file:///srv") {
		t.Errorf("%s", m.Raw)
	}
	c.stream.Drop()
	w.awaitQuiet()
}

func TestAChannelEndsWithItsStream(t *testing.T) {
	w := newWorld(t)
	c := w.openChannel()
	c.post(t, initialize)
	c.stream.Response()
	hold := w.upstream
	hold.Handle("tools/call", mcptest.Always(mcptest.Reply{Write: func(out *mcptest.Writer) { out.Hold() }}))
	c.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"release"}}`)
	a := hold.Await("tools/call", 1)
	c.stream.Drop()
	a.AwaitCancelled(t)
	w.awaitQuiet()
	mcptest.Eventually(t, "the endpoint is gone", func() bool { return c.Post(initialize).Status() == http.StatusNotFound })
}

func TestAChannelIsItsOwnersOnly(t *testing.T) {
	w := newWorld(t)
	c := w.openChannel()
	for _, endpoint := range []string{w.url + "/mcp/sse/message", w.url + "/mcp/sse/message?sessionId=none"} {
		other := mcptest.NewClient(t, endpoint)
		if reply := other.Post(initialize); reply.Status() != http.StatusNotFound {
			t.Errorf("%s: HTTP %d", endpoint, reply.Status())
		}
	}
	foreign := mcptest.NewClient(t, c.Endpoint)
	foreign.Header.Set("Authorization", "Bearer other")
	if reply := foreign.Post(initialize); reply.Status() != http.StatusNotFound {
		t.Errorf("another credential: HTTP %d", reply.Status())
	}
}

// What the server announces comes on the one stream there is.
func TestAChannelHearsAnnouncements(t *testing.T) {
	w := newWorld(t)
	c := w.openChannel()
	c.post(t, initialize)
	if m := c.stream.Response(); !strings.Contains(string(m.Result), `"listChanged":true`) {
		t.Fatalf("initialize: %s", m.Raw)
	}
	c.post(t, initialize)
	if m := c.stream.Response(); m.Code() != -32600 {
		t.Errorf("a second initialize on the stream: %s", m.Raw)
	}
	w.upstream.AwaitListens(1)[0].Notify("notifications/tools/list_changed", `{}`)
	if m := c.stream.Notification("notifications/tools/list_changed"); strings.Contains(string(m.Raw), "subscriptionId") {
		t.Errorf("got %s", m.Raw)
	}
	c.stream.Drop()
	w.awaitQuiet()
	w.upstream.AwaitListens(0)
}

func TestAChannelIsOpenedWithoutABody(t *testing.T) {
	w := newWorld(t)
	for _, body := range []string{"{}", "chunked"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.url+"/mcp/sse", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if body == "chunked" {
			r.ContentLength = -1
		}
		r.Header.Set("Accept", "text/event-stream")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", body, res.Status)
		}
	}
}
