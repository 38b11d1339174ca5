package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a server that says what it is told to, whatever it is asked. It says nothing of its own.
type script struct {
	net.Listener
	url      *url.URL
	accepted atomic.Int32
	requests chan string // heads, as they came
	gone     chan error  // how reading from a connection ended
}

// serve starts a server. answer writes to a connection what it has to say on its n-th request, which has been read; false
// closes the connection.
func serve(t *testing.T, answer func(c net.Conn, n int) bool) *script {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &script{Listener: l, url: &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/mcp"},
		requests: make(chan string, 100), gone: make(chan error, 100)}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.accepted.Add(1)
			go s.connection(c, answer)
		}
	}()
	return s
}

func (s *script) connection(c net.Conn, answer func(c net.Conn, n int) bool) {
	defer c.Close()
	in := bufio.NewReader(c)
	for n := 1; ; n++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			s.gone <- err
			return
		}
		head := fmt.Sprint(r.Method, " ", r.RequestURI, " ", r.Host, " ", r.Header)
		b, _ := io.ReadAll(r.Body)
		s.requests <- head + " " + string(b)
		if !answer(c, n) {
			return
		}
	}
}

// says is an answer that is always the same; the connection stays open.
func says(text string) func(net.Conn, int) bool {
	return func(c net.Conn, _ int) bool { _, _ = io.WriteString(c, text); return true }
}

func library() *http.Transport {
	return &http.Transport{DialContext: new(net.Dialer).DialContext, DisableCompression: true, MaxResponseHeaderBytes: maxHead}
}

func transport(t *testing.T, s *script) *Transport {
	t.Helper()
	d := New(s.url, library())
	t.Cleanup(d.CloseIdleConnections)
	return d
}

func post(to *url.URL, body string) *Request {
	return &Request{URL: to, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body)}
}

// outcome is all that a caller sees of a response.
type outcome struct {
	status int
	header http.Header
	length int64
	body   string
	whole  bool
}

func ask(ctx context.Context, d *Transport, r *Request) (o outcome, err error) {
	resp, err := d.Send(ctx, r, time.Minute)
	if err != nil {
		return outcome{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return outcome{resp.StatusCode, resp.Header, resp.ContentLength, string(b), err == nil}, nil
}

func (o outcome) same(p outcome) bool {
	if o.status == http.StatusOK && p.status == http.StatusOK {
		o.header, p.header = telltale(o.header), telltale(p.header)
	}
	return o.status == p.status && o.length == p.length && o.body == p.body && o.whole == p.whole &&
		maps.EqualFunc(o.header, p.header, func(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") })
}

// telltale is what is kept of a 200's headers at least.
func telltale(h http.Header) http.Header {
	kept := http.Header{}
	for _, name := range []string{"Content-Type", "Content-Encoding", "Retry-After"} {
		if v := h[name]; len(v) > 0 && !slices.Equal(v, []string{""}) {
			kept[name] = v
		}
	}
	return kept
}

const answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

func TestARequest(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	r := post(s.url, "hello")
	r.Header = http.Header{"Accept": {"a", "b"}, "Content-Length": {"9"}, "Trailer": {"X"}, "Host": {"elsewhere"}, "Transfer-Encoding": {"chunked"}}
	o, err := ask(t.Context(), d, r)
	if err != nil || o.status != 200 || o.body != "{}" || o.length != 2 {
		t.Fatalf("%+v, %v", o, err)
	}
	want := "POST /mcp " + s.url.Host + " map[Accept:[a b] Content-Length:[5]] hello"
	if got := <-s.requests; got != want {
		t.Errorf("the server got %q, want %q", got, want)
	}
	r = post(s.url, "hello")
	r.Host = "name.example"
	if _, err = ask(t.Context(), d, r); err != nil {
		t.Fatal(err)
	}
	if got := <-s.requests; !strings.HasPrefix(got, "POST /mcp name.example ") {
		t.Errorf("the server got %q", got)
	}
}

// Whatever a server says means what it means to the library.
func TestAnswersMeanWhatTheyMeanToTheLibrary(t *testing.T) {
	for name, text := range answers() {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(c net.Conn, _ int) bool { _, _ = io.WriteString(c, text); return false })
			l := library()
			defer l.CloseIdleConnections()
			want, wantErr := ask(t.Context(), Over(l), post(s.url, "x"))
			got, err := ask(t.Context(), transport(t, s), post(s.url, "x"))
			if (err != nil) != (wantErr != nil) || !got.same(want) {
				t.Errorf("%+v, %v\nwant %+v, %v", got, err, want, wantErr)
			}
		})
	}
}

func answers() map[string]string {
	const ok = "HTTP/1.1 200 OK\r\n"
	return map[string]string{
		"length":                          answer,
		"small letters":                   ok + "content-type:application/json\r\ncontent-length:2\r\nconnection:keep-alive\r\nx: y\r\n\r\n{}",
		"blanks":                          ok + "Content-Type: \t application/json \t\r\nContent-Length:  2 \r\n\r\n{}",
		"two types":                       ok + "Content-Type: text/plain\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"no type":                         ok + "Content-Type:\r\nContent-Length: 2\r\n\r\n{}",
		"compressed":                      ok + "Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
		"to be tried again":               ok + "Content-Type: application/json\r\nRetry-After: 5\r\nContent-Length: 2\r\n\r\n{}",
		"a type and chunks":               ok + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"a type, a length and chunks":     ok + "Content-Type: application/json\r\nContent-Length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"a type and two lengths":          ok + "Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}}",
		"a type and the length twice":     ok + "Content-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		"a type and a length with +":      ok + "Content-Type: application/json\r\nContent-Length: +2\r\n\r\n{}",
		"a type and a long length":        ok + "Content-Type: application/json\r\nContent-Length: 00000000000000000000000002\r\n\r\n{}",
		"a type and no content":           ok + "Content-Type: application/json\r\nContent-Length: 0\r\n\r\n",
		"a type and cut off":              ok + "Content-Type: application/json\r\nContent-Length: 3\r\n\r\n{}",
		"a bare line end in a value":      ok + "Content-Type: application/json\nX: y\r\nContent-Length: 2\r\n\r\n{}",
		"a return in a value":             ok + "Content-Type: application/json\r\nX: y\rz\r\nContent-Length: 2\r\n\r\n{}",
		"a control character":             ok + "Content-Type: application/json\r\nX: y\x01z\r\nContent-Length: 2\r\n\r\n{}",
		"a folded type":                   ok + "Content-Type: application/json;\r\n charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
		"a nameless header":               ok + "Content-Type: application/json\r\n: y\r\nContent-Length: 2\r\n\r\n{}",
		"chunks behind a bare line end":   "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"a length behind a bare line end": "HTTP/1.1 200 OK\nContent-Length: 4\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}{}",
		"a coding behind a bare line end": "HTTP/1.1 200 OK\nContent-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"a head behind bare line ends":    "HTTP/1.1 200 OK\nContent-Length: 0\n\nX\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"a bare line end after 200":       "HTTP/1.1 200 OK\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"no length":                       ok + "\r\nuntil the end",
		"empty":                           ok + "Content-Length: 0\r\n\r\n",
		"no content":                      "HTTP/1.1 204 No Content\r\n\r\n",
		"accepted":                        "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
		"chunked":                         ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"chunked with trailer":            ok + "Transfer-Encoding: chunked\r\nTrailer: X\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n",
		"chunked and length":              ok + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"chunks cut off":                  ok + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
		"a chunk of nonsense":             ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
		"a foreign coding":                ok + "Transfer-Encoding: gzip\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"cut off":                         ok + "Content-Length: 3\r\n\r\n{}",
		"more than the length":            answer + "HTTP/1.1 200 OK",
		"two lengths":                     ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}",
		"the same length twice":           ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		"a negative length":               ok + "Content-Length: -2\r\n\r\n{}",
		"a length of nonsense":            ok + "Content-Length: two\r\n\r\n{}",
		"nothing":                         "",
		"half a line":                     "HTTP/1.1 20",
		"half a head":                     ok + "Content-Type: appl",
		"no HTTP":                         "SSH-2.0-OpenSSH_9.9\r\n",
		"HTTP/1.0":                        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/2":                          "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"a status of nonsense":            "HTTP/1.1 2xx OK\r\n\r\n",
		"a status of four":                "HTTP/1.1 2000 OK\r\n\r\n",
		"no reason":                       "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}",
		"bare line ends":                  "HTTP/1.1 200 OK\nContent-Length: 2\n\n{}",
		"a header without a colon":        ok + "Content-Length 2\r\n\r\n{}",
		"a header with a space":           ok + "Content-Length : 2\r\n\r\n{}",
		"a folded header":                 ok + "X: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
		"a header twice":                  ok + "X: a\r\nx: b\r\nContent-Length: 2\r\n\r\n{}",
		"a refusal":                       "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer a=\"b\"\r\nContent-Length: 0\r\n\r\n",
		"early hints":                     "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + answer,
		"continue":                        "HTTP/1.1 100 Continue\r\n\r\n" + answer,
		"informational to the end":        strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 3),
		"informational over and over":     strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 50) + answer,
		"a head of 100 KB":                ok + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 100) + "Content-Length: 2\r\n\r\n{}",
		"a head of 300 KB":                ok + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 300) + "Content-Length: 2\r\n\r\n{}",
		"a line of 300 KB":                ok + "X: " + strings.Repeat("y", 300<<10) + "\r\nContent-Length: 2\r\n\r\n{}",
		"informational of 300 KB":         "HTTP/1.1 103 Early Hints\r\n" + strings.Repeat("X: "+strings.Repeat("y", 1000)+"\r\n", 300) + "\r\n" + answer,
		"a body of 300 KB":                ok + "Content-Length: 307200\r\n\r\n" + strings.Repeat("z", 300<<10),
		"an event stream":                 ok + "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\na\r\ndata: {}\n\n\r\n0\r\n\r\n",
		"a length of more than it has":    ok + "Content-Length: 99999999999999999999\r\n\r\n{}",
	}
}

func FuzzAnswers(f *testing.F) {
	for _, text := range answers() {
		f.Add(text)
	}
	here := &url.URL{Scheme: "http", Host: "server", Path: "/"}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, " 101") {
			t.Skip("a switch of protocols gives the library's caller the connection")
		}
		l := library()
		l.DialContext = func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				if r, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(server, text)
				}
			}()
			return client, nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		want, wantErr := ask(ctx, Over(l), post(here, "x"))
		got, err := ask(ctx, New(here, l), post(here, "x"))
		if (err != nil) != (wantErr != nil) || !got.same(want) || ctx.Err() != nil {
			t.Errorf("%q: %+v, %v\nwant %+v, %v", text, got, err, want, wantErr)
		}
		l.CloseIdleConnections()
	})
}

func TestLeavesToTheLibraryWhatItDoesNotDo(t *testing.T) {
	asked := 0
	l := library()
	l.DialContext = func(context.Context, string, string) (net.Conn, error) {
		asked++
		return nil, errors.New("by the library")
	}
	proxied := library()
	proxied.Proxy = func(*http.Request) (*url.URL, error) { return &url.URL{Scheme: "http", Host: "proxy"}, nil }
	here := &url.URL{Scheme: "http", Host: "server"}
	if New(&url.URL{Scheme: "https", Host: "server"}, l).host != "" {
		t.Error("takes TLS")
	}
	if New(&url.URL{Scheme: "http", Host: "sérver"}, l).host != "" {
		t.Error("takes a name that has to be encoded")
	}
	if New(&url.URL{Scheme: "http", Host: "[fe80::1%25eth0]:80"}, l).host != "" || New(&url.URL{Scheme: "http", Host: "[fe80::1%eth0]:80"}, l).host != "" {
		t.Error("takes an address with a zone")
	}
	if New(here, proxied).host != "" {
		t.Error("takes what goes through a proxy")
	}
	d := New(here, l)
	d.dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("by itself") }
	for name, r := range map[string]*Request{
		"a long body":  post(here, strings.Repeat("x", maxBody+1)),
		"another host": post(&url.URL{Scheme: "http", Host: "other"}, "x"),
		"TLS":          post(&url.URL{Scheme: "https", Host: "server"}, "x"),
	} {
		asked = 0
		if _, err := ask(t.Context(), d, r); err == nil || asked != 1 {
			t.Errorf("%s: %v, dialled %d times", name, err, asked)
		}
	}
}

func TestHeadersThatWouldEndAreRefused(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	for name, h := range map[string]http.Header{
		"line feed": {"X": {"a\nEvil: b"}}, "carriage return": {"X": {"a\rb"}}, "nul": {"X": {"a\x00"}},
		"name": {"X:y": {"a"}}, "space": {"X y": {"a"}}, "no name": {"": {"a"}},
	} {
		r := post(s.url, "x")
		r.Header = h
		if _, err := ask(t.Context(), d, r); !errors.Is(err, errHeader) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r := post(s.url, "x")
	r.Host = "a\r\nb"
	if _, err := ask(t.Context(), d, r); !errors.Is(err, errHeader) {
		t.Errorf("host: %v", err)
	}
	if len(s.requests) > 0 {
		t.Errorf("the server got %q", <-s.requests)
	}
}

func TestNobodyListens(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	_ = s.Close()
	_, err := ask(t.Context(), d, post(s.url, "x"))
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "dial" {
		t.Errorf("%v, want that of the dial", err)
	}
}

func within[T any](t *testing.T, what string, c <-chan T) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		t.Fatal(what)
	}
}
