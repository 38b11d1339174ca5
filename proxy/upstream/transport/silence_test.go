package transport

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

const patience = time.Minute

var nowhere = &url.URL{Scheme: "http", Host: "server.example", Path: "/mcp"}

// each runs a test, in fake time, with a Transport's own connections and with the library's. serve is what the server does
// with a connection on which a request has come.
func each(t *testing.T, serve func(c net.Conn), test func(t *testing.T, d *Transport)) {
	for name, own := range map[string]bool{"own": true, "library": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var servers sync.WaitGroup
				defer servers.Wait()
				l := library()
				l.DialContext = func(context.Context, string, string) (net.Conn, error) {
					client, server := net.Pipe()
					servers.Go(func() {
						defer server.Close()
						if _, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
							serve(server)
							_, _ = server.Read(make([]byte, 1)) // until it is closed
						}
					})
					return client, nil
				}
				d := Over(l)
				if own {
					d = New(nowhere, l)
				}
				test(t, d)
				d.CloseIdleConnections()
			})
		})
	}
}

func TestASilentServerIsGivenUp(t *testing.T) {
	for name, said := range map[string]string{
		"before the response": "",
		"in its head":         "HTTP/1.1 200 OK\r\nConte",
		"in its body":         "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
		"in a chunk":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(c net.Conn) { _, _ = io.WriteString(c, said) }, func(t *testing.T, d *Transport) {
				began := time.Now()
				resp, err := d.Send(t.Context(), post(nowhere, "x"), patience)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				if took := time.Since(began); !errors.Is(err, ErrSilence) || took != patience {
					t.Errorf("%v after %v, want that of silence after %v", err, took, patience)
				}
			})
		})
	}
}

func TestAServerThatIsNotReachedIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(nowhere, library())
		d.dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		if _, err := d.Send(t.Context(), post(nowhere, "x"), patience); !errors.Is(err, ErrSilence) {
			t.Errorf("%v, want that of silence", err)
		}
	})
}

// A dialler that has looked at the deadline itself says so before the context does.
func TestADiallerThatIsAheadOfItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(nowhere, library())
		d.dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			end, _ := ctx.Deadline()
			time.Sleep(time.Until(end))
			return nil, os.ErrDeadlineExceeded
		}
		if _, err := d.Send(t.Context(), post(nowhere, "x"), patience); !errors.Is(err, ErrSilence) {
			t.Errorf("%v, want that of silence", err)
		}
	})
}

// The time that a connection took is the server's, too.
func TestPatienceIsForTheDialAndTheResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := New(nowhere, library())
		d.dial = func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(patience * 3 / 4)
			client, server := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, server) }()
			return client, nil
		}
		began := time.Now()
		_, err := d.Send(t.Context(), post(nowhere, "x"), patience)
		if took := time.Since(began); !errors.Is(err, ErrSilence) || took != patience {
			t.Errorf("%v after %v, want that of silence after %v", err, took, patience)
		}
	})
}

// slowly says a byte from time to time.
func slowly(c net.Conn) {
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
	for range 8 {
		time.Sleep(patience * 3 / 4)
		_, _ = io.WriteString(c, "x")
	}
}

// Every byte is a sign of life: it is silence that ends a request, not time.
func TestAServerThatIsSlowIsWaitedFor(t *testing.T) {
	each(t, slowly, func(t *testing.T, d *Transport) {
		if o, err := ask(t.Context(), d, post(nowhere, "x")); err != nil || o.body != "xxxxxxxx" {
			t.Errorf("%+v, %v", o, err)
		}
	})
}

func TestForEverIsForEver(t *testing.T) {
	each(t, func(c net.Conn) { time.Sleep(1000 * time.Hour); _, _ = io.WriteString(c, answer) }, func(t *testing.T, d *Transport) {
		resp, err := d.Send(t.Context(), post(nowhere, "x"), 0)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	})
}

func TestIndulgence(t *testing.T) {
	each(t, func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx")
		time.Sleep(1000 * patience)
		_, _ = io.WriteString(c, "y")
	}, func(t *testing.T, d *Transport) {
		resp, err := d.Send(t.Context(), post(nowhere, "x"), patience)
		if err != nil {
			t.Fatal(err)
		}
		resp.Indulge()
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "xy" {
			t.Errorf("%q, %v", b, err)
		}
	})
}

// What is not worth waiting for is not waited for either when it comes byte by byte.
func TestHurry(t *testing.T) {
	each(t, slowly, func(t *testing.T, d *Transport) {
		resp, err := d.Send(t.Context(), post(nowhere, "x"), patience)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		resp.Hurry(2 * patience)
		b, err := io.ReadAll(resp.Body)
		if took := time.Since(began); !errors.Is(err, ErrSilence) || took != 2*patience || string(b) != "xx" {
			t.Errorf("%q and %v after %v", b, err, took)
		}
		_ = resp.Body.Close()
	})
}

// A slow reader is not a silent server.
func TestTimeInWhichNothingIsReadIsNotSilence(t *testing.T) {
	each(t, func(c net.Conn) {
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
		_, _ = io.WriteString(c, "{}")
	}, func(t *testing.T, d *Transport) {
		resp, err := d.Send(t.Context(), post(nowhere, "x"), patience)
		if err != nil {
			t.Fatal(err)
		}
		if d.host != "" { // the library reads ahead, and its clock runs meanwhile
			time.Sleep(10 * patience)
		}
		if b, err := io.ReadAll(resp.Body); err != nil || string(b) != "{}" {
			t.Errorf("%q, %v", b, err)
		}
	})
}

// The time of a request's context is not silence of the server, however the two end.
func TestTheTimeOfTheContextIsNotSilence(t *testing.T) {
	for name, said := range map[string]string{"before the response": "", "in its body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, says(said))
			for range 50 {
				d := transport(t, s)
				ctx := deadline.By(t.Context(), time.Now().Add(2*time.Millisecond), nil)
				resp, err := d.Send(ctx, post(s.url, "x"), time.Minute)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				ctx.Release()
				if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrSilence) {
					t.Fatal(err)
				}
				d.CloseIdleConnections()
			}
		})
	}
}
