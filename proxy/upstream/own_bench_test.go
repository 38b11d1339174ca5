package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

// BenchmarkOwnCost is an attempt without a network: what this package itself costs.
func BenchmarkOwnCost(b *testing.B) {
	mark := []byte(`"id":`)
	header := http.Header{"Content-Type": {"application/json"}}
	o := Options{URL: mustParse("http://server.example/mcp"), Timeout: 60e9, CallTimeout: 600e9, MaxMessageBytes: 64 << 20}
	o.Metrics = metrics.New(prometheus.NewRegistry()).Route("/mcp")
	o.Transport = roundTrip(func(r *http.Request) *http.Response {
		body, _ := io.ReadAll(r.Body)
		id := body[bytes.Index(body, mark)+len(mark):]
		id = id[:bytes.IndexByte(id, ',')]
		out := make([]byte, 0, 400)
		out = append(append(append(out, `{"result":`...), done...), `,"jsonrpc":"2.0","id":`...)
		out = append(append(out, id...), '}')
		return &http.Response{StatusCode: 200, ProtoMajor: 1, Header: header, Body: io.NopCloser(bytes.NewReader(out)), ContentLength: int64(len(out))}
	})
	u := New(o)
	defer u.Close()
	c := request(b, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := u.Attempt(context.Background(), c, Retry{}, &counting{}); err != nil {
			b.Fatal(err)
		}
	}
}
