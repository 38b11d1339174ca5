package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestConnectionsAreUsedAgain(t *testing.T) {
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		text  string
		again bool
	}{
		"length":               {answer, true},
		"chunked":              {chunked, true},
		"empty":                {"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", true},
		"no content":           {"HTTP/1.1 204 No Content\r\n\r\n", true},
		"an informational one": {"HTTP/1.1 103 Early Hints\r\n\r\n" + answer, true},
		"close":                {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}", false},
		"HTTP/1.0":             {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}", false},
		"bytes after the end":  {answer + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", false},
		"bytes after chunks":   {chunked + "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, says(c.text))
			d := transport(t, s)
			for range 3 {
				if o, err := ask(t.Context(), d, post(s.url, "x")); err != nil || o.body != "{}" && o.length != 0 {
					t.Fatalf("%+v, %v", o, err)
				}
			}
			want := int32(3)
			if c.again {
				want = 1
			}
			if n := s.accepted.Load(); n != want {
				t.Errorf("%d connections, want %d", n, want)
			}
		})
	}
}

// What a server says between requests is the answer to none of them.
func TestAConnectionOnWhichTheServerSpokeUpIsNotUsed(t *testing.T) {
	speak, spoken := make(chan struct{}), make(chan struct{})
	var first sync.Once
	s := serve(t, func(c net.Conn, _ int) bool {
		_, _ = io.WriteString(c, answer)
		first.Do(func() {
			go func() {
				defer close(spoken)
				<-speak
				if _, err := io.WriteString(c, "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n"); err != nil {
					t.Error(err)
				}
			}()
		})
		return true
	})
	d := transport(t, s)
	for range 2 {
		if o, err := ask(t.Context(), d, post(s.url, "x")); err != nil || o.status != 200 {
			t.Fatalf("%+v, %v", o, err)
		}
		if s.accepted.Load() == 1 {
			close(speak)
			within(t, "the server did not speak up", spoken)
			waiting(t, d)
		}
	}
	if n := s.accepted.Load(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

func TestAConnectionThatTheServerClosedIsNotUsed(t *testing.T) {
	s := serve(t, func(c net.Conn, _ int) bool { _, _ = io.WriteString(c, answer); return false })
	d := transport(t, s)
	for range 3 {
		if o, err := ask(t.Context(), d, post(s.url, "x")); err != nil || o.body != "{}" {
			t.Fatalf("%+v, %v", o, err)
		}
		waiting(t, d)
	}
	if n := s.accepted.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// Nor is one that it has kept open before.
func TestAConnectionThatTheServerClosedAtLastIsNotUsed(t *testing.T) {
	var requests atomic.Int32
	s := serve(t, func(c net.Conn, _ int) bool { _, _ = io.WriteString(c, answer); return requests.Add(1)%3 != 0 })
	d := transport(t, s)
	for i := range 7 {
		if o, err := ask(t.Context(), d, post(s.url, "x")); err != nil || o.body != "{}" {
			t.Fatalf("request %d: %+v, %v", i, o, err)
		}
		if i%3 == 2 {
			waiting(t, d)
		}
	}
	if n := s.accepted.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// waiting waits until the connection that waits is seen to be of no use.
func waiting(t *testing.T, d *Transport) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		d.mu.Lock()
		dead := len(d.idle) == 1 && !d.idle[0].alive()
		d.mu.Unlock()
		if dead {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the connection still looks good")
		}
	}
}

// A connection that takes nothing has not sent anything either: another one may.
func TestARequestOfWhichNothingWasSentIsSentAgain(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	if _, err := ask(t.Context(), d, post(s.url, "x")); err != nil {
		t.Fatal(err)
	}
	shut := func(c *conn) {
		if err := c.net.Conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
	}
	shut(d.idle[0])
	if o, err := ask(t.Context(), d, post(s.url, "y")); err != nil || o.body != "{}" {
		t.Fatalf("%+v, %v", o, err)
	}
	if n := s.accepted.Load(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
	d.idle[0].used = false
	shut(d.idle[0])
	if _, err := ask(t.Context(), d, post(s.url, "z")); err == nil {
		t.Error("a connection that was never any good was given up in silence")
	}
}

// A server may refuse a request before it has read it.
func TestARefusalOfARequestThatIsNotRead(t *testing.T) {
	client, server := net.Pipe()
	go func() {
		_, _ = server.Read(make([]byte, 10))
		_, _ = io.WriteString(server, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
		_ = server.Close()
	}()
	l := library()
	l.DialContext = func(context.Context, string, string) (net.Conn, error) { return early{client}, nil }
	s := serve(t, says(answer))
	d := New(s.url, l)
	if o, err := ask(t.Context(), d, post(s.url, "x")); err != nil || o.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%+v, %v", o, err)
	}
	if len(d.idle) != 0 {
		t.Error("the connection waits for another request")
	}
}

// early takes ten bytes and no more.
type early struct{ net.Conn }

func (e early) Write(p []byte) (int, error) {
	n, _ := e.Conn.Write(p[:10])
	return n, errors.New("connection reset by peer")
}

func TestEndlessInformationalResponses(t *testing.T) {
	s := serve(t, func(c net.Conn, _ int) bool {
		for {
			if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n"); err != nil {
				return false
			}
		}
	})
	if _, err := ask(t.Context(), transport(t, s), post(s.url, "x")); !errors.Is(err, errHeadSize) {
		t.Error(err)
	}
}

func TestAServerThatSwitchesProtocols(t *testing.T) {
	s := serve(t, says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"))
	if _, err := ask(t.Context(), transport(t, s), post(s.url, "x")); !errors.Is(err, errSwitched) {
		t.Error(err)
	}
	within(t, "the connection stays open", s.gone)
}

func TestAnEndedContextClosesTheConnection(t *testing.T) {
	why := errors.New("why")
	for name, said := range map[string]string{
		"before the response": "",
		"in its head":         "HTTP/1.1 200 OK\r\nConte",
		"in its body":         "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
		"in a chunk":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, says(said))
			d := transport(t, s)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			go func() {
				<-s.requests
				cancel(why)
			}()
			resp, err := d.Send(ctx, post(s.url, "x"), time.Minute)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				_ = resp.Body.Close()
			}
			if !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			within(t, "the connection stays open", s.gone)
			if len(d.idle) != 0 {
				t.Error("the connection waits for another request")
			}
		})
	}
	t.Run("before the request", func(t *testing.T) {
		s := serve(t, says(answer))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := ask(ctx, transport(t, s), post(s.url, "x")); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Run("after the response", func(t *testing.T) {
		s := serve(t, says(answer))
		d := transport(t, s)
		for range 3 {
			ctx, cancel := context.WithCancel(t.Context())
			if _, err := ask(ctx, d, post(s.url, "x")); err != nil {
				t.Fatal(err)
			}
			cancel()
		}
		if n := s.accepted.Load(); n != 1 {
			t.Errorf("%d connections, want 1", n)
		}
	})
}

func TestABodyThatIsClosedEarlyClosesTheConnection(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	resp, err := d.Send(t.Context(), post(s.url, "x"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	}
	within(t, "the connection stays open", s.gone)
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("a closed body says %v", err)
	}
	if len(d.idle) != 0 {
		t.Error("the connection waits for another request")
	}
}

func TestConnectionsDoNotWaitForever(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	bodies := make([]io.ReadCloser, 3)
	for i := range bodies {
		resp, err := d.Send(t.Context(), post(s.url, "x"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		bodies[i] = resp.Body
	}
	for _, b := range bodies {
		_, _ = io.Copy(io.Discard, b)
	}
	d.idle[0].since = d.idle[0].since.Add(-idleFor)
	d.idle[1].since = d.idle[1].since.Add(-idleFor)
	young := d.idle[2]
	d.sweep()
	if len(d.idle) != 1 || d.idle[0] != young || d.expiry == nil {
		t.Fatalf("%d connections wait", len(d.idle))
	}
	for range 2 {
		within(t, "a connection that waited for too long stays open", s.gone)
	}
	young.since = young.since.Add(-sweepEvery)
	if d.sweep(); len(d.idle) != 1 || d.idle[0] != young {
		t.Fatal("a good connection that has waited for a while is given up")
	}
	young.since = young.since.Add(-idleFor)
	d.sweep()
	if len(d.idle) != 0 || d.expiry != nil {
		t.Errorf("%d connections wait", len(d.idle))
	}
	within(t, "a connection that waited for too long stays open", s.gone)
}

// A server that closes connections sooner does not have them pile up here.
func TestConnectionsThatTheServerClosedAreSweptAway(t *testing.T) {
	s := serve(t, func(c net.Conn, _ int) bool { _, _ = io.WriteString(c, answer); return false })
	d := transport(t, s)
	if _, err := ask(t.Context(), d, post(s.url, "x")); err != nil {
		t.Fatal(err)
	}
	waiting(t, d)
	d.idle[0].since = d.idle[0].since.Add(-sweepEvery)
	if d.sweep(); len(d.idle) != 0 {
		t.Error("it waits for another request")
	}
}

// What a request before has left of a deadline is not the next one's.
func TestAConnectionOutlivesItsDeadlines(t *testing.T) {
	s := serve(t, says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"))
	d := transport(t, s)
	for range 3 {
		resp, err := d.Send(t.Context(), post(s.url, "x"), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		resp.Hurry(time.Minute)
		if _, err = io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		_ = d.idle[0].net.SetReadDeadline(time.Unix(1, 0)) // as it is some time later
	}
	if n := s.accepted.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestNothingIsSentWhenTheContextHasEnded(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	if _, err := ask(t.Context(), d, post(s.url, "x")); err != nil {
		t.Fatal(err)
	}
	<-s.requests
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		if _, err := ask(ctx, d, post(s.url, "x")); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if len(s.requests) > 0 {
		t.Errorf("the server got %q", <-s.requests)
	}
}

func TestClosingItClosesConnections(t *testing.T) {
	s := serve(t, says(answer))
	d := transport(t, s)
	busy, err := d.Send(t.Context(), post(s.url, "x"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Body.Close()
	if _, err = ask(t.Context(), d, post(s.url, "x")); err != nil {
		t.Fatal(err)
	}
	d.CloseIdleConnections()
	within(t, "a connection that waits stays open", s.gone)
	if b, err := io.ReadAll(busy.Body); string(b) != "{}" || err != nil {
		t.Errorf("what runs was cut off: %q, %v", b, err)
	}
	within(t, "a connection that was in use stays open", s.gone)
}
