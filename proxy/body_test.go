package proxy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// post makes the request that a client's POST is.
func post(body string, header ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), http.MethodPost, "/mcp", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		if r.Header.Del(header[i]); header[i+1] != "" {
			r.Header.Add(header[i], header[i+1])
		}
	}
	return r
}

func TestReadJudgesTheHeader(t *testing.T) {
	for _, c := range []struct {
		name   string
		header []string
		status int // 0: is read
	}{
		{"JSON", nil, 0},
		{"in UTF-8", []string{"Content-Type", "application/json; charset=utf-8"}, 0},
		{"in UTF-8, quoted", []string{"Content-Type", `Application/JSON; Charset="UTF-8"`}, 0},
		{"with another parameter", []string{"Content-Type", "application/json; x=y"}, 0},
		{"in latin-1", []string{"Content-Type", "application/json; charset=iso-8859-1"}, 415},
		{"text", []string{"Content-Type", "text/plain"}, 415},
		{"a form", []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		{"a cousin", []string{"Content-Type", "application/json-rpc"}, 415},
		{"a mess", []string{"Content-Type", "application/json; charset"}, 415},
		{"none", []string{"Content-Type", ""}, 415},
		{"identity", []string{"Content-Encoding", "identity"}, 0},
		{"compressed", []string{"Content-Encoding", "gzip"}, 415},
		{"compressed twice", []string{"Content-Encoding", "identity, gzip"}, 415},
	} {
		var s wire.Scanner
		s.Init(wire.FromClient, nil)
		f := read(httptest.NewRecorder(), post(ping, c.header...), &s, 1000)
		if got := statusOf(f); got != c.status {
			t.Errorf("%s: %d, want %d", c.name, got, c.status)
		}
	}
	r := post(ping)
	r.Header["Content-Type"] = []string{"application/json", "text/plain"}
	if f := read(httptest.NewRecorder(), r, new(wire.Scanner), 1000); statusOf(f) != 415 {
		t.Errorf("two types: %d", statusOf(f))
	}
}

func statusOf(f *fault) int {
	if f == nil {
		return 0
	}
	return f.status
}

func utf16LE(s string) string {
	var b bytes.Buffer
	b.WriteString("\xff\xfe")
	for _, u := range utf16.Encode([]rune(s)) {
		b.Write([]byte{byte(u), byte(u >> 8)})
	}
	return b.String()
}

func TestReadJudgesTheMessage(t *testing.T) {
	for _, c := range []struct {
		name string
		body string
		code int    // 0: is read
		id   string // that the answer goes to
	}{
		{"a request", ping, 0, "1"},
		{"a BOM and white space", "\xef\xbb\xbf\r\n " + ping + "\n", 0, "1"},
		{"two BOMs", "\xef\xbb\xbf\xef\xbb\xbf" + ping, wire.CodeParse, ""},
		{"a large id", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, 0, "9007199254740993"},
		{"an empty id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, 0, `""`},
		{"empty", "", wire.CodeParse, ""},
		{"cut", ping[:len(ping)-1], wire.CodeParse, "1"},
		{"two of them", ping + ping, wire.CodeParse, "1"},
		{"UTF-16", utf16LE(ping), wire.CodeParse, ""},
		{"broken UTF-8", `{"jsonrpc":"2.0","id":1,"method":"p` + "\xc3\x28" + `"}`, wire.CodeParse, "1"},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}}`, wire.CodeInvalidRequest, "1"},
		{"a member twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, wire.CodeInvalidRequest, "1"},
		{"a member twice, escaped", `{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"x"}`, wire.CodeInvalidRequest, "1"},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, wire.CodeInvalidRequest, ""},
		{"id 1.5", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, wire.CodeInvalidRequest, ""},
		{"id 1e2", `{"jsonrpc":"2.0","id":1e2,"method":"ping"}`, wire.CodeInvalidRequest, ""},
		{"id true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, wire.CodeInvalidRequest, ""},
		{"an object for id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, wire.CodeInvalidRequest, ""},
		{"another JSON-RPC", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, wire.CodeInvalidRequest, "1"},
		{"no JSON-RPC", `{"id":1,"method":"ping"}`, wire.CodeInvalidRequest, "1"},
		{"params in an array", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, wire.CodeInvalidRequest, "1"},
		{"a string", `"ping"`, wire.CodeInvalidRequest, ""},
		{"a batch", `[` + ping + `]`, wire.CodeInvalidRequest, ""},
	} {
		for how, body := range map[string]io.Reader{"at once": strings.NewReader(c.body), "byte by byte": iotest.OneByteReader(strings.NewReader(c.body))} {
			r := post("")
			r.Body, r.ContentLength = io.NopCloser(body), -1
			var s wire.Scanner
			s.Init(wire.FromClient, nil)
			f := read(httptest.NewRecorder(), r, &s, 1<<20)
			if f == nil {
				if c.code != 0 || string(s.ID.Of(s.Bytes())) != c.id {
					t.Errorf("%s, %s: id %s", c.name, how, s.ID.Of(s.Bytes()))
				}
				continue
			}
			if f.code != c.code || string(f.id) != c.id || f.status != 400 || f.batch != (c.name == "a batch") {
				t.Errorf("%s, %s: %+v", c.name, how, *f)
			}
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	message := `{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"` + strings.Repeat("x", 100_000) + `"}}`
	for _, c := range []struct {
		name   string
		limit  int
		length int64
		status int
	}{
		{"as long as allowed", len(message), int64(len(message)), 0},
		{"as long as allowed, of no told length", len(message), -1, 0},
		{"a byte too long", len(message) - 1, int64(len(message)), 413},
		{"a byte too long, of no told length", len(message) - 1, -1, 413},
	} {
		touched := false
		r := post("")
		r.Body, r.ContentLength = io.NopCloser(io.TeeReader(strings.NewReader(message), writerFunc(func() { touched = true }))), c.length
		var s wire.Scanner
		s.Init(wire.FromClient, nil)
		if f := read(httptest.NewRecorder(), r, &s, int64(c.limit)); statusOf(f) != c.status {
			t.Errorf("%s: %d, want %d", c.name, statusOf(f), c.status)
		}
		if c.status == 413 && c.length >= 0 && touched {
			t.Errorf("%s: was read all the same", c.name)
		}
	}
	r := post("")
	r.Body, r.ContentLength = io.NopCloser(iotest.ErrReader(errors.New("broken"))), 5
	if f := read(httptest.NewRecorder(), r, takeScanner(), 1000); statusOf(f) != 400 || f.code != wire.CodeParse {
		t.Errorf("a body that breaks off: %+v", f)
	}
}

type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) { f(); return len(p), nil }

func TestABodyThatClaimsToBeLongIsNotBelieved(t *testing.T) {
	r := post("")
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(ping)), 1<<30
	var s wire.Scanner
	s.Init(wire.FromClient, nil)
	_ = read(httptest.NewRecorder(), r, &s, 2<<30)
	if size := cap(s.Release()); size > 1<<20 {
		t.Errorf("%d bytes were set aside", size)
	}
}

func TestRecoverySparesWhatHasBegun(t *testing.T) {
	w := httptest.NewRecorder()
	recovering(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("fault") }), zap.NewNop()).ServeHTTP(w, post(ping))
	if w.Code != 500 || !strings.Contains(w.Body.String(), "-32603") || strings.Contains(w.Body.String(), "fault\"") {
		t.Errorf("before: HTTP %d %s", w.Code, w.Body)
	}
	w = httptest.NewRecorder()
	defer func() {
		if fault := recover(); fault != any(http.ErrAbortHandler) || w.Body.String() != "half" {
			t.Errorf("within: %v, %q", fault, w.Body)
		}
	}()
	recovering(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "half"); panic("fault") }), zap.NewNop()).ServeHTTP(w, post(ping))
}
