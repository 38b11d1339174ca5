package mcptest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// legacyServer answers the handshake and hands everything else to next.
func legacyServer(t *testing.T, next http.HandlerFunc) string {
	return Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case strings.Contains(string(body), `"initialize"`):
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Mcp-Session-Id", "abc")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"init","result":{"protocolVersion":"2025-06-18","capabilities":{}}}`)
		case strings.Contains(string(body), "notifications/initialized"):
			w.WriteHeader(http.StatusAccepted)
		default:
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			next(w, r)
		}
	}))
}

func TestClientIsAskedAndAnswers(t *testing.T) {
	answers := make(chan string, 2)
	server := legacyServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), "tools/call") {
			answers <- string(body)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, ": hello\n\nid: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"roots/list\"}\n\n")
		_ = http.NewResponseController(w).Flush()
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[{\"type\":\"text\",\"text\":%q}],\"isError\":true}}\n\n", r.Header.Get("Mcp-Session-Id")+" "+<-answers)
	})
	c := Connect(t, server, V20251125, EveryCapability)
	if c.Session != "abc" || c.Version != V20250618 {
		t.Errorf("session %q, version %q", c.Session, c.Version)
	}
	s := c.CallTool("5", "release", `{}`)
	ask := s.Ask("roots/list")
	if ask.EventID != "2" || s.Comments() != 1 || s.LastEventID() != "2" {
		t.Errorf("event %q, %d comments, last id %q", ask.EventID, s.Comments(), s.LastEventID())
	}
	if got := c.Refuse(ask, -1, "no"); got != http.StatusAccepted {
		t.Errorf("HTTP %d", got)
	}
	m := s.Response()
	if want := `abc {"jsonrpc":"2.0","id":"q","error":{"code":-1,"message":"no"}}`; m.Text() != want || !m.IsToolError() {
		t.Errorf("text %q, want %q", m.Text(), want)
	}
	if err := s.End(); err != nil {
		t.Errorf("ends with %v", err)
	}
}

func TestClientSaysWhatItDidNotGet(t *testing.T) {
	server := legacyServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.Header.Get("X-Type"))
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, r.Header.Get("X-Body"))
	})
	for _, c := range []struct{ name, kind, body, want string }{
		{"a page", "text/html", "<p>", "got the end (HTTP 502, <nil>, <p>)"},
		{"broken JSON", "application/json", `{"id":`, "the proxy sent no JSON-RPC message"},
		{"a repeated member", "application/json", `{"id":1,"id":2,"result":{}}`, `"id" is repeated`},
		{"a question", "application/json", `{"id":1,"method":"ping"}`, `got {"id":1,"method":"ping"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := record(t, func(tb testing.TB) {
				client := NewClient(tb, server)
				client.Header = http.Header{"X-Type": {c.kind}, "X-Body": {c.body}}
				client.Request("1", "ping", "").Response()
			})
			if !strings.Contains(got, c.want) {
				t.Errorf("fails with %q, want %q", got, c.want)
			}
		})
	}
}

func TestFailureOfARoundTrip(t *testing.T) {
	want := &Failure{Kind: "mrtr_round_limit", Limit: "max_rounds", Rounds: 8}
	for _, raw := range []string{
		`{"id":1,"result":{"isError":true,"_meta":{"mrtr-proxy/failure":{"kind":"mrtr_round_limit","limit":"max_rounds","rounds":8}}}}`,
		`{"id":1,"error":{"code":-32603,"data":{"kind":"mrtr_round_limit","limit":"max_rounds","rounds":8}}}`,
	} {
		m, err := parseMessages([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, m[0].Failure()); diff != "" {
			t.Error(diff)
		}
	}
	plain, err := parseMessages([]byte(`[{"id":1,"error":{"code":-32000,"data":"x"}},{"id":2,"result":{}}]`))
	if err != nil || len(plain) != 2 || plain[0].Failure() != nil || plain[1].Failure() != nil {
		t.Errorf("a failure in %v, %v", plain, err)
	}
}

func TestEventFraming(t *testing.T) {
	const text = "\ufeff: hi\r\n\r\nid: 1\rdata: a\rdata:b\r\rdata\n\nevent:end\nid:2\n\nretry: 5\ndata: lost"
	want := []Event{{ID: "1", Data: "a\nb", Had: true}, {Had: true}, {ID: "2", Type: "end"}}
	for size := 1; size <= len(text); size++ {
		var p eventParser
		var got []Event
		for i := 0; i < len(text); i += size {
			p.feed([]byte(text[i:min(i+size, len(text))]), func(e Event) { got = append(got, e) })
		}
		if diff := cmp.Diff(want, got); diff != "" || p.comments != 1 {
			t.Fatalf("in pieces of %d: %d comments\n%s", size, p.comments, diff)
		}
	}
}

func TestSameJSON(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":[2]}`, ` {"b":[2], "a":1}`, true},
		{`9007199254740993`, `9007199254740992`, false},
		{`1.0`, `1`, false},
		{`{`, `{`, false},
	} {
		if got := Same([]byte(c.a), []byte(c.b)); got != c.same {
			t.Errorf("Same(%s, %s) = %v", c.a, c.b, got)
		}
	}
}
