package legacy

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
)

// A client may be gone before its reply has become a stream. What is still said then opens none: it was counted as open
// for ever, and kept for a client that could not know how to come back.
func TestAReplyOfAClientThatIsGoneBecomesNoStream(t *testing.T) {
	route := metrics.New(prometheus.NewRegistry()).Route("/mcp")
	h := &Handler{Options{Metrics: route, Streams: NewStreams(), ResumeWindow: time.Minute, KeepAlive: time.Minute}}
	x, err := exchange.NewRegistry(1).Begin(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Leave()
	w := httptest.NewRecorder()
	p := &reply{h: h, x: x, id: []byte("1"), version: wire.V20251125, accept: accept{json: true, stream: true}, leave: func() {}, timer: time.NewTimer(time.Minute)}
	p.w = w
	p.dropped(w)
	p.mu.Lock()
	p.event([]byte(`{"jsonrpc":"2.0","method":"notifications/progress"}`), false)
	p.mu.Unlock()
	p.send([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	p.release(w)

	var open dto.Metric
	if err := route.Streams(metrics.StreamExchange).Write(&open); err != nil {
		t.Fatal(err)
	}
	if n := open.GetGauge().GetValue(); n != 0 {
		t.Errorf("%v streams are counted as open", n)
	}
	if n := len(h.Streams.replies); n != 0 {
		t.Errorf("%d replies are kept", n)
	}
}
