package detach_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
	"github.com/mrtr-proxy/mrtr-proxy/internal/detach"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stands is a handler whose reply goes on until the client is gone or end is closed, and
// tells why it has ended.
type stands struct {
	detach.Group
	end   chan struct{}
	ended chan string
}

func newStands() *stands { return &stands{end: make(chan struct{}), ended: make(chan string, 1)} }

func (s *stands) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Of-Handler", "yes")
	s.Reply(w, r, func(ctx context.Context, w http.ResponseWriter) {
		_, _ = io.WriteString(w, "first")
		if err := http.NewResponseController(w).Flush(); err != nil {
			s.ended <- err.Error()
			return
		}
		select {
		case <-ctx.Done():
			s.ended <- "gone"
		case <-s.end:
			_, _ = io.WriteString(w, "last") // goes with the end
			s.ended <- "end"
		}
	})
}

func serve(t *testing.T, s *stands, http2 bool) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = http2
	if http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	t.Cleanup(s.Close)
	return server
}

func get(t *testing.T, server *httptest.Server) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func first(t *testing.T, r io.Reader) {
	t.Helper()
	got := make([]byte, len("first"))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != "first" {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestAReplyGoesOnAndEndsWhole(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2.0": true} {
		t.Run(name, func(t *testing.T) {
			s := newStands()
			res := get(t, serve(t, s, http2))
			defer res.Body.Close()
			first(t, res.Body)
			if res.Proto != name || res.StatusCode != http.StatusOK || res.Header.Get("X-Of-Handler") != "yes" || res.Header.Get("Date") == "" {
				t.Errorf("%s %d %v", res.Proto, res.StatusCode, res.Header)
			}
			close(s.end)
			if rest, err := io.ReadAll(res.Body); string(rest) != "last" || err != nil {
				t.Errorf("%q, %v", rest, err)
			}
		})
	}
}

func TestWithoutAHandler(t *testing.T) {
	returned := make(chan struct{})
	s := newStands()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		close(returned)
	}))
	defer server.Close()
	defer s.Close()
	res := get(t, server)
	defer res.Body.Close()
	<-returned
	first(t, res.Body)
}

func TestAStatusOfItsOwn(t *testing.T) {
	var g detach.Group
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.Reply(w, r, func(_ context.Context, w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) })
	}))
	defer server.Close()
	res := get(t, server)
	defer res.Body.Close()
	if rest, err := io.ReadAll(res.Body); res.StatusCode != http.StatusServiceUnavailable || len(rest) > 0 || err != nil {
		t.Errorf("%s %q %v", res.Status, rest, err)
	}
}

// A fault breaks the reply, or is answered where none has begun; a handler that aborts breaks it and is no fault.
func TestAFaultIsNotTakenForAWholeReply(t *testing.T) {
	for name, c := range map[string]struct {
		say    string
		fault  any
		status int
		told   int32
	}{
		"before the reply": {"", "oh", http.StatusInternalServerError, 1},
		"within it":        {"first", "oh", http.StatusOK, 1},
		"aborted":          {"first", http.ErrAbortHandler, http.StatusOK, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var told atomic.Int32
			g := detach.Group{Fault: func(w http.ResponseWriter, fault any) {
				if told.Add(1); fault != c.fault {
					t.Error(fault)
				}
				if w != nil {
					w.WriteHeader(http.StatusInternalServerError)
				}
			}}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				g.Reply(w, r, func(_ context.Context, w http.ResponseWriter) {
					if c.say != "" {
						_, _ = io.WriteString(w, c.say)
						_ = http.NewResponseController(w).Flush()
					}
					panic(c.fault)
				})
			}))
			defer server.Close()
			defer g.Close()
			res := get(t, server)
			defer res.Body.Close()
			rest, err := io.ReadAll(res.Body)
			if res.StatusCode != c.status || string(rest) != c.say || (err == nil) != (c.status != http.StatusOK) {
				t.Errorf("%s %q %v", res.Status, rest, err)
			}
			g.Close()
			if n := told.Load(); n != c.told {
				t.Errorf("told %d times", n)
			}
		})
	}
}

func TestLongWritesAndLateHeaders(t *testing.T) {
	var g detach.Group
	long := strings.Repeat("0123456789abcdef", 1<<13)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "5")
		g.Reply(w, r, func(_ context.Context, w http.ResponseWriter) {
			for _, s := range []string{"<", long, "", long, ">"} {
				if n, err := io.WriteString(w, s); n != len(s) || err != nil {
					t.Error(n, err)
				}
				w.Header().Set("X-Late", "yes")
			}
		})
	}))
	defer server.Close()
	res := get(t, server)
	defer res.Body.Close()
	if got, err := io.ReadAll(res.Body); string(got) != "<"+long+long+">" || err != nil || res.Header.Get("X-Late") != "" {
		t.Errorf("%d bytes, %v, %v", len(got), err, res.Header)
	}
}

// dial sends a request by hand and reads up to the first bytes of the body.
func dial(t *testing.T, server *httptest.Server, request string) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(c)
	for line := ""; line != "\r\n"; {
		if line, err = in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	return c, in
}

const request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

func TestAClientThatGoesIsNoticed(t *testing.T) {
	s := newStands()
	c, _ := dial(t, serve(t, s, false), request)
	_ = c.Close()
	if why := <-s.ended; why != "gone" {
		t.Error(why)
	}
}

// Some old clients send an empty line behind a request.
func TestAnEmptyLineBehindTheRequest(t *testing.T) {
	s := newStands()
	c, in := dial(t, serve(t, s, false), request+"\r\n")
	if line, err := in.ReadString('t'); err != nil || !strings.HasSuffix(line, "first") {
		t.Errorf("%q, %v", line, err)
	}
	close(s.end)
	if why := <-s.ended; why != "end" {
		t.Error(why)
	}
	if rest, err := io.ReadAll(in); !strings.HasSuffix(string(rest), "\r\n0\r\n\r\n") || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	_ = c.Close()
}

func TestAClientThatSendsOnIsLetGo(t *testing.T) {
	for name, at := range map[string]string{"with the request": request + request, "later": request} {
		t.Run(name, func(t *testing.T) {
			s := newStands()
			c, in := dial(t, serve(t, s, false), at)
			if at == request {
				_, _ = io.WriteString(c, request)
			}
			if why := <-s.ended; why != "gone" {
				t.Error(why)
			}
			if rest, err := io.ReadAll(in); !strings.HasPrefix(string(rest), "5\r\nfirst\r\n") || strings.Contains(string(rest), "HTTP/") {
				t.Errorf("%q, %v", rest, err)
			}
		})
	}
}

func TestAnOldClientKeepsItsHandler(t *testing.T) {
	s := newStands()
	_, in := dial(t, serve(t, s, false), "GET / HTTP/1.0\r\n\r\n")
	close(s.end)
	if rest, err := io.ReadAll(in); string(rest) != "firstlast" || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
}

func TestWaitsForRepliesAndCutsThem(t *testing.T) {
	s := newStands()
	server := serve(t, s, false)
	s.Wait(t.Context()) // for none
	res := get(t, server)
	defer res.Body.Close()
	first(t, res.Body)
	ended, end := context.WithCancel(t.Context())
	end()
	s.Wait(ended)
	select {
	case why := <-s.ended:
		t.Fatalf("ended as %q though nothing ended it", why)
	default:
	}
	s.Close()
	if why := <-s.ended; why != "gone" {
		t.Error(why)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("a reply that was cut looks whole")
	}
	late, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	_, _ = io.WriteString(late, request)
	if rest, err := io.ReadAll(late); len(rest) > 0 {
		t.Errorf("%q, %v after the end", rest, err)
	}
	<-s.ended
}

// one is a listener with one connection.
type one struct {
	conn chan net.Conn
	done chan struct{}
}

func (l one) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l one) Close() error   { close(l.done); return nil }
func (l one) Addr() net.Addr { return &net.TCPAddr{} }

func TestAClientThatDoesNotReadIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		l := one{make(chan net.Conn, 1), make(chan struct{})}
		l.conn <- theirs
		failed := make(chan error, 1)
		var g detach.Group
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			g.Reply(w, r, func(_ context.Context, w http.ResponseWriter) {
				_, _ = io.WriteString(w, "first")
				failed <- http.NewResponseController(w).Flush()
				if _, err := io.WriteString(w, "more"); err == nil {
					t.Error("it writes on")
				}
			})
		})}
		served := make(chan error, 1)
		go func() { served <- server.Serve(l) }()
		began := time.Now()
		_, _ = io.WriteString(ours, request)
		if err := <-failed; err == nil || time.Since(began) != deadline.Unread {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		g.Wait(t.Context())
		_ = server.Close()
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}
