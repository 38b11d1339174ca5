package e2e

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// Standing streams end whole when the daemon stops, though no handler is left to end them.
func TestStandingStreamsEndWithTheDaemon(t *testing.T) {
	_, d := start(t, "", "")
	var streams []*mcptest.Stream
	for range 50 {
		stream := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, mcptest.EveryCapability).Listen()
		stream.AwaitComments(1)
		streams = append(streams, stream)
	}
	d.AwaitMetric(50, "mrtr_proxy_streams_open", "kind", "standing")
	d.Signal(syscall.SIGTERM)
	for i, stream := range streams {
		if err := stream.End(); err != nil {
			t.Error(fmt.Errorf("stream %d: %w", i, err))
		}
	}
	if code := d.AwaitExit(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
