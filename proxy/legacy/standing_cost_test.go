package legacy_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

// standing is how many sessions have a stream, and what each may cost in bytes with its
// connection. The race detector makes everything bigger and slower.
func standing() (sessions, cost int64) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return 1000, 64 << 10
	}
	return 10_000, 32 << 10
}

// pipes is a listener whose connections are in memory, so that a test may have more of
// them than a process has files.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// memory is what the process uses, in bytes.
func memory() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// Many sessions stand on one listen, and what is announced reaches all of them.
func TestManySessionsStandOnOneListen(t *testing.T) {
	if testing.Short() {
		t.Skip("opens many connections")
	}
	sessions, most := standing()
	w := newWorld(t, func(o *proxy.Options) { o.Guard.AllowedHosts = []string{"127.0.0.1"} })
	w.upstream.Handle("server/discover", mcptest.Always(mcptest.Reply{Result: strings.NewReplacer(`"ttlMs":0`, `"ttlMs":3600000`, `"private"`, `"public"`).Replace(mcptest.DiscoverResult)}))
	ids := make([]string, sessions)
	for i := range ids {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"n","version":"1"}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		out := httptest.NewRecorder()
		w.handler.ServeHTTP(out, r)
		if ids[i] = out.Header().Get("Mcp-Session-Id"); ids[i] == "" {
			t.Fatal(out.Body)
		}
	}
	listener := &pipes{accept: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: w.handler}
	served := make(chan error)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()

	before := memory()
	conns := make([]net.Conn, sessions)
	reader := bufio.NewReader(nil)
	for i, id := range ids {
		ours, theirs := net.Pipe()
		conns[i] = ours
		defer ours.Close()
		listener.accept <- theirs
		request := "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + id + "\r\nMcp-Protocol-Version: 2025-11-25\r\n\r\n"
		if _, err := io.WriteString(ours, request); err != nil {
			t.Fatal(err)
		}
		reader.Reset(ours)
		expect(t, reader, ": \n\n\r\n")
	}
	l := w.listening(allLists)
	cost := (memory() - before) / sessions
	t.Logf("%d bytes for each of %d sessions on one listen, both ends of the connection included", cost, sessions)
	if cost > most {
		t.Errorf("%d bytes a session, want at most %d", cost, most)
	}
	if n := len(w.upstream.Attempts("subscriptions/listen")); n != 1 {
		t.Errorf("%d listens", n)
	}

	began := time.Now()
	l.Notify("notifications/tools/list_changed", "")
	for _, c := range conns {
		reader.Reset(c)
		expect(t, reader, "list_changed\",\"params\":{\"_meta\":{}}}\n\n\r\n")
	}
	t.Logf("%v until all have heard of a change", time.Since(began))
	after := (memory() - before) / sessions
	t.Logf("%d bytes for each afterwards", after)
	if after > most {
		t.Errorf("%d bytes a session after a change, want at most %d", after, most)
	}
}

// expect reads up to a text, which is not read before it is there.
func expect(t *testing.T, r *bufio.Reader, text string) {
	t.Helper()
	var got bytes.Buffer
	for !strings.HasSuffix(got.String(), text) {
		c, err := r.ReadByte()
		if err != nil || got.Len() > 1<<16 {
			t.Fatalf("read %q: %v", got.String(), err)
		}
		got.WriteByte(c)
	}
	if r.Buffered() > 0 {
		rest, _ := io.ReadAll(io.LimitReader(r, int64(r.Buffered())))
		t.Fatalf("%q came too", rest)
	}
}
