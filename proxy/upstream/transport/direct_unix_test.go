//go:build unix

package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// speaking is a server that says something on each connection before anything has come, and leaves it open.
func speaking(t *testing.T, say func(c *net.TCPConn)) *url.URL {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	t.Cleanup(serving.Wait)
	t.Cleanup(func() { _ = l.Close() })
	serving.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			say(c.(*net.TCPConn))
			serving.Go(func() {
				_, _ = io.Copy(io.Discard, c)
				_ = c.Close()
			})
		}
	})
	return &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
}

// What a server says or does before the request has been sent is noticed, though no later event tells of it: that it has no
// room, say.
func TestAServerThatSpeaksFirst(t *testing.T) {
	const answer = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"
	for name, say := range map[string]func(c *net.TCPConn){
		"open":        func(c *net.TCPConn) { _, _ = io.WriteString(c, answer) },
		"half closed": func(c *net.TCPConn) { _, _ = io.WriteString(c, answer); _ = c.CloseWrite() },
		"silent":      func(c *net.TCPConn) { _ = c.CloseWrite() },
	} {
		t.Run(name, func(t *testing.T) {
			u := speaking(t, say)
			for range 10 {
				l := library()
				l.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					c, err := (&net.Dialer{}).DialContext(ctx, network, address)
					if err == nil { // the word has come before the connection is used
						raw, _ := c.(*net.TCPConn).SyscallConn()
						_ = raw.Read(func(fd uintptr) bool {
							_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
							return err == nil
						})
					}
					return c, err
				}
				d := New(u, l)
				resp, err := d.Send(t.Context(), post(u, "x"), time.Minute)
				switch {
				case errors.Is(err, ErrSilence):
					t.Fatal("what had come was not seen")
				case err == nil:
					_, _ = io.Copy(io.Discard, resp.Body)
					_ = resp.Body.Close()
					if resp.StatusCode != http.StatusServiceUnavailable {
						t.Error(resp.Status)
					}
				}
				d.CloseIdleConnections()
			}
		})
	}
}

// A server that takes nothing is given up no later than one that says nothing.
func TestAServerThatReadsNothing(t *testing.T) {
	small := func(option int) func(string, string, syscall.RawConn) error {
		return func(_, _ string, c syscall.RawConn) error {
			var fault error
			err := c.Control(func(fd uintptr) { fault = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, option, 4<<10) })
			return errors.Join(err, fault)
		}
	}
	l, err := (&net.ListenConfig{Control: small(syscall.SO_RCVBUF)}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // which nobody accepts from
	lib := library()
	lib.DialContext = (&net.Dialer{Control: small(syscall.SO_SNDBUF)}).DialContext
	d := New(&url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}, lib)
	defer d.CloseIdleConnections()
	const patience = 100 * time.Millisecond
	began := time.Now()
	if _, err := d.Send(t.Context(), post(&url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}, strings.Repeat("x", maxBody)), patience); !errors.Is(err, ErrSilence) {
		t.Error(err)
	}
	if took := time.Since(began); took >= patience+grace {
		t.Errorf("after %v", took)
	}
}
