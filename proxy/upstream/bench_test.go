package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// quick is a server that does next to nothing: it reads the request and answers with a result that size bytes of text are in.
func quick(b *testing.B, size int, events bool) *stub {
	text := strings.Repeat("x", size)
	var mark = []byte(`"id":`)
	return serveFast(b, func(w http.ResponseWriter, body []byte) {
		id := body[bytes.Index(body, mark)+len(mark):]
		id = id[:bytes.IndexByte(id, ',')]
		out := make([]byte, 0, size+256)
		contentType := "application/json"
		if events {
			out = append(out, "data: "...)
			contentType = "text/event-stream"
		}
		out = append(append(append(out, `{"result":{"content":[{"type":"text","text":"`...), text...), `"}],"resultType":"complete"},"jsonrpc":"2.0","id":`...)
		out = append(append(out, id...), '}')
		if events {
			out = append(out, "\n\n"...)
		}
		w.Header()["Content-Type"] = []string{contentType}
		if !events {
			w.Header()["Content-Length"] = []string{strconv.Itoa(len(out))}
		}
		_, _ = w.Write(out)
		if events {
			w.(http.Flusher).Flush()
		}
	})
}

// counting is a sink that passes a reply on to nobody.
type counting struct{ n int }

func (s *counting) Notify(*wire.Scanner)                   { s.n++ }
func (s *counting) Reply(m *wire.Scanner) error            { return m.WriteReply(io.Discard, []byte("1")) }
func (s *counting) Stream(int64) (io.Writer, []byte, bool) { return io.Discard, []byte("1"), true }

// BenchmarkAttempt stands beside BenchmarkRoundTrip: the ratio of the two is what an attempt costs.
func BenchmarkAttempt(b *testing.B) {
	each(b, func(b *testing.B, s *stub) {
		u := to(b, s, func(o *Options) { o.Metrics = metrics.New(prometheus.NewRegistry()).Route("/mcp") })
		c := request(b, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if _, err := u.Attempt(context.Background(), c, Retry{}, &counting{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkRoundTrip is the same exchange by a plain transport: the same headers, the body read and thrown away.
func BenchmarkRoundTrip(b *testing.B) {
	each(b, func(b *testing.B, s *stub) {
		t := newTransport(nil)
		defer t.CloseIdleConnections()
		c := request(b, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`)
		body := c.Request.AppendRequest(nil, []byte("123456789"), c.Meta, nil)
		u := mustParse(s.URL + "/mcp")
		b.RunParallel(func(p *testing.PB) {
			buf := make([]byte, 64<<10)
			for p.Next() {
				req := (&http.Request{
					Method: "POST", URL: u, Host: u.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
					Header: http.Header{
						"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
						"Mcp-Protocol-Version": {wire.Modern}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"echo"},
					},
					Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
				}).WithContext(context.Background())
				resp, err := t.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = resp.Body.Read(buf)
				}
				resp.Body.Close()
			}
		})
	})
}

func each(b *testing.B, run func(*testing.B, *stub)) {
	for _, bc := range []struct {
		name   string
		size   int
		events bool
	}{{"300B", 200, false}, {"64KiB", 64 << 10, false}, {"2MiB", 2 << 20, false}, {"event", 200, true}} {
		b.Run(bc.name, func(b *testing.B) {
			s := quick(b, bc.size, bc.events)
			b.SetBytes(int64(bc.size))
			b.ReportAllocs()
			b.ResetTimer()
			run(b, s)
		})
	}
}
