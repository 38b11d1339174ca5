package load

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/bench/peer"
)

// modern makes a client of a handler.
func modern(t *testing.T, h http.Handler, tool string, size int) *client {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := newClient(&Task{Address: s.Listener.Addr().String(), Path: "/list", Modern: true, Tool: tool, Size: size}, 0, 1)
	t.Cleanup(c.main.drop)
	return c
}

func TestTheStubServesWhatTheClientCalls(t *testing.T) {
	for _, c := range []struct {
		tool         string
		size, events int
	}{
		{"small", 0, 0}, {"list", 0, 0}, {"large", 1 << 20, 0}, {"large", 100, 0}, {"ask", 1, 0}, {"ask", 3, 0}, {"progress", 10, 10},
	} {
		client := modern(t, peer.NewStub(), c.tool, c.size)
		for range 2 { // on one connection
			client.events = 0
			if err := client.call(); err != nil || client.events != c.events {
				t.Errorf("%s %d: %d events, %v", c.tool, c.size, client.events, err)
			}
		}
	}
}

func TestTheStubRefuses(t *testing.T) {
	for name, spoil := range map[string]func(r *http.Request){
		"no version header":       func(r *http.Request) { r.Header.Del("Mcp-Protocol-Version") },
		"the header of another":   func(r *http.Request) { r.Header.Set("Mcp-Name", "large") },
		"a state it has not made": func(r *http.Request) { r.Body = replace(r.Body, "sealed", "forged") },
		"another answer":          func(r *http.Request) { r.Body = replace(r.Body, "Ada", "Eve") },
		"no capabilities":         func(r *http.Request) { r.Body = replace(r.Body, "clientCapabilities", "x") },
	} {
		stub := peer.NewStub()
		client := modern(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			spoil(r)
			stub.ServeHTTP(w, r)
		}), "ask", 1)
		if err := client.call(); err == nil {
			t.Errorf("%s: served", name)
		}
	}
}

func replace(body io.ReadCloser, before, after string) io.ReadCloser {
	b, _ := io.ReadAll(body)
	return io.NopCloser(strings.NewReader(strings.ReplaceAll(string(b), before, after)))
}

func TestTheClientRefusesWhatIsNotTheResult(t *testing.T) {
	for name, reply := range map[string]string{
		"an error":           `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no"}}`,
		"the id of another":  `{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"` + text + `"}]}}`,
		"another text":       `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`,
		"a stream's half":    "data: {}",
		"a shown resultType": `{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"` + text + `"}]}}`,
	} {
		client := modern(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if strings.HasPrefix(reply, "data") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			_, _ = io.WriteString(w, reply)
		}), "small", 0)
		client.task.Modern = false
		if err := client.call(); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestALargeReplyIsCountedNotRead(t *testing.T) {
	body := `{"result":{"content":[{"type":"text","text":"` + strings.Repeat(".", 1<<20-200) + `"}]}}`
	client := modern(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }), "large", 1<<20)
	if err := client.call(); err == nil {
		t.Error("a reply that is too short was taken")
	}
}
