package upstream

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

const (
	meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`
	done = `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`
	ask  = `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{}}},"requestState":"s\u0031"}`
)

// seen is one request as the server saw it.
type seen struct {
	path   string
	from   string // the client's end of the connection
	host   string
	header http.Header
	raw    string
	id     string
	method string
	token  string // raw progressToken
	params map[string]json.RawMessage
}

// stub is a scripted server.
type stub struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

func (s *stub) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// calls are the requests that no list of tools was asked for by.
func (s *stub) calls() []seen {
	return slices.DeleteFunc(s.requests(), func(q seen) bool { return q.method == wire.MethodToolsList })
}

// serve starts a server that answers every request by script.
func serve(t testing.TB, script func(w http.ResponseWriter, r *http.Request, q seen)) *stub {
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		q := parse(r, body)
		s.mu.Lock()
		s.seen = append(s.seen, q)
		s.mu.Unlock()
		script(w, r, q)
	}))
	t.Cleanup(s.Close)
	return s
}

func parse(r *http.Request, body []byte) seen {
	var m struct {
		ID     json.RawMessage
		Method string
		Params map[string]json.RawMessage
	}
	_ = json.Unmarshal(body, &m)
	var inner struct{ ProgressToken json.RawMessage }
	_ = json.Unmarshal(m.Params["_meta"], &inner)
	return seen{path: r.URL.RequestURI(), from: r.RemoteAddr, host: r.Host, header: r.Header.Clone(), raw: string(body), id: string(m.ID), method: m.Method, token: string(inner.ProgressToken), params: m.Params}
}

// say is a script that answers with a body, in which ID stands for the request's id.
func say(status int, contentType, body string, header ...string) func(http.ResponseWriter, *http.Request, seen) {
	return func(w http.ResponseWriter, _ *http.Request, q seen) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		} else {
			w.Header()["Content-Type"] = nil
		}
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, fill(body, q))
	}
}

func fill(body string, q seen) string {
	token := q.token
	if token == "" {
		token = "null"
	}
	return string(bytes.ReplaceAll(bytes.ReplaceAll([]byte(body), []byte("ID"), []byte(q.id)), []byte("TOKEN"), []byte(token)))
}

func result(r string) string   { return `{"jsonrpc":"2.0","id":ID,"result":` + r + `}` }
func rpcError(e string) string { return `{"jsonrpc":"2.0","id":ID,"error":` + e + `}` }

// raw starts a server below HTTP: each connection's first request goes to script, and the connection is closed after it.
func raw(t testing.TB, script func(c net.Conn, q seen)) *stub {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &stub{Server: &httptest.Server{URL: "http://" + l.Addr().String()}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				body, _ := io.ReadAll(r.Body)
				q := parse(r, body)
				s.mu.Lock()
				s.seen = append(s.seen, q)
				s.mu.Unlock()
				script(c, q)
			})
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return s
}

// write says something on a raw connection.
func write(c net.Conn, q seen, s string) { _, _ = io.WriteString(c, fill(s, q)) }

// hold keeps a raw connection open until the peer closes it.
func hold(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// to makes an Upstream of a server, with options changed by change. It knows that the server's tools want no headers.
func to(t testing.TB, s *stub, change ...func(*Options)) *Upstream {
	up := coldTo(t, s, change...)
	up.tools.keep(audience{}, &catalogue{}, time.Hour, true, time.Now())
	return up
}

// coldTo is to with an Upstream that knows nothing.
func coldTo(t testing.TB, s *stub, change ...func(*Options)) *Upstream {
	u, err := url.Parse(s.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Route: "/mcp", URL: u, Timeout: 5 * time.Second, CallTimeout: 5 * time.Second, MaxMessageBytes: 64 << 20}
	for _, f := range change {
		f(&o)
	}
	up := New(o)
	t.Cleanup(up.Close)
	return up
}

// request makes a call of what a client sends.
func request(t testing.TB, message string) *Call {
	s := new(wire.Scanner)
	s.Init(wire.FromClient, nil)
	if err := errors.Join(s.Feed([]byte(message)), s.End()); err != nil {
		t.Fatal(err)
	}
	c := &Call{Request: s, Method: s.MethodName(), Meta: []byte(meta)}
	c.Name, _ = wire.Unquote(s.Name.Of(s.Bytes()))
	if c.Method == wire.MethodResourcesRead {
		c.Name, _ = wire.Unquote(s.URI.Of(s.Bytes()))
	}
	return c
}

func toolCall(t testing.TB) *Call {
	return request(t, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"deploy","arguments":{"n":9007199254740993}}}`)
}

// sink keeps what it is told.
type sink struct {
	notes   []string
	replies []string
	refuse  error

	takes  bool // takes streams
	stream bytes.Buffer
	asked  int
	size   int64  // that it was asked with
	piece  func() // called with each piece of a stream
}

func (s *sink) Notify(m *wire.Scanner) { s.notes = append(s.notes, string(m.Bytes())) }

func (s *sink) Reply(m *wire.Scanner) error {
	s.replies = append(s.replies, string(m.AppendReply(nil, []byte(`"x"`))))
	return s.refuse
}

func (s *sink) Stream(size int64) (io.Writer, []byte, bool) {
	s.size = size
	s.asked++
	return s, []byte(`"x"`), s.takes
}

func (s *sink) Write(p []byte) (int, error) {
	if s.piece != nil {
		s.piece()
	}
	return s.stream.Write(p)
}

// try makes an attempt.
func try(t testing.TB, u *Upstream, c *Call, r Retry) (*sink, Result, *Error) {
	t.Helper()
	s := &sink{}
	res, err := u.Attempt(t.Context(), c, r, s)
	return s, res, failure(t, err)
}

func failure(t testing.TB, err error) *Error {
	t.Helper()
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v is no *Error", err, err)
	}
	return e
}

func flush(w http.ResponseWriter) { w.(http.Flusher).Flush() }

// gone waits until the client has closed the request.
func gone(r *http.Request) { <-r.Context().Done() }

// serveFast starts a server that keeps nothing of what it sees.
func serveFast(t testing.TB, script func(w http.ResponseWriter, body []byte)) *stub {
	s := &stub{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		script(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}
