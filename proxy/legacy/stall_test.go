package legacy_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

// stalled is a connection whose client does not read: a write lasts until it is let go,
// and then fails, as one does whose deadline is over. Nothing tells the request's
// context, which is the server's business.
type stalled struct {
	header http.Header
	wrote  chan struct{} // closed when the first write has come
	let    chan struct{}
	once   sync.Once
	mu     sync.Mutex
	buf    bytes.Buffer
}

func newStalled() *stalled {
	return &stalled{header: http.Header{}, wrote: make(chan struct{}), let: make(chan struct{})}
}

func (s *stalled) Header() http.Header              { return s.header }
func (s *stalled) WriteHeader(int)                  {}
func (s *stalled) FlushError() error                { return nil }
func (s *stalled) SetWriteDeadline(time.Time) error { return nil }
func (s *stalled) SetReadDeadline(time.Time) error  { return nil }

func (s *stalled) Write(p []byte) (int, error) {
	s.mu.Lock()
	s.buf.Write(p)
	s.mu.Unlock()
	s.once.Do(func() { close(s.wrote) })
	<-s.let
	return 0, os.ErrDeadlineExceeded
}

// serve runs a POST of the client's session on the connection.
func (w *world) serve(out http.ResponseWriter, c *mcptest.Client, body string) (ctx context.CancelFunc, done <-chan struct{}) {
	c2, cancel := context.WithCancel(context.Background())
	r := httptest.NewRequestWithContext(c2, http.MethodPost, "http://proxy.example/mcp", strings.NewReader(body))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {c.Session}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.handler.ServeHTTP(out, r)
	}()
	w.t.Cleanup(func() { cancel(); <-ended })
	return cancel, ended
}

func stallWorld(t *testing.T, keepAlive, window time.Duration) *world {
	return newWorld(t, func(o *proxy.Options) {
		o.Guard.AllowedHosts = []string{"proxy.example"}
		o.KeepAlive, o.ResumeWindow = keepAlive, window
	})
}

// A client that does not read is given up after a while, and may come back: comments
// that became due in the meantime do not shorten its time.
func TestASlowReaderMayComeBackForItsStream(t *testing.T) {
	const keepAlive = 150 * time.Millisecond
	w := stallWorld(t, keepAlive, time.Minute)
	client := w.connect(mcptest.V20250618)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	out := newStalled()
	w.serve(out, client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"release"}}`)
	<-out.wrote
	time.Sleep(2 * keepAlive) // a comment is due, and waits for the write
	close(out.let)
	mcptest.Eventually(t, "the stream is counted out", func() bool { return w.sum("streams_open") == 0 })
	out.mu.Lock()
	written := out.buf.String()
	out.mu.Unlock()
	id, _, _ := strings.Cut(strings.TrimPrefix(written, "id: "), "-")
	rest := client.Resume(id + "-0")
	client.Answer(rest.Ask("roots/list"), rootsAnswer)
	if m := rest.Response(); m.Result == nil {
		t.Errorf("%s", m.Raw)
	}
	w.awaitQuiet()
}

// One that does not read and cannot come back is as good as gone.
func TestASlowReaderThatCannotComeBackEndsItsExchange(t *testing.T) {
	w := stallWorld(t, time.Minute, 0)
	client := w.connect(mcptest.V20250618)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	out := newStalled()
	drop, done := w.serve(out, client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"release"}}`)
	<-out.wrote
	close(out.let)
	drop() // what net/http does when a write fails
	<-done
	w.awaitQuiet()
	if n := w.sum("requests_total", "outcome", "cancelled"); n != 1 {
		t.Errorf("%v cancelled", n)
	}
}
