package e2e

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	_ "github.com/mrtr-proxy/mrtr-proxy/internal/daemon" // what the program is made of: with it go test knows when a result is stale
	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// program is the built binary.
var program mcptest.Program

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }

const rootsAnswer = `{"roots":[{"uri":"file:///srv"}]}`

// start runs the daemon with the route /mcp to an upstream.
func start(t *testing.T, top, route string) (*mcptest.Upstream, *mcptest.Daemon) {
	t.Helper()
	u := mcptest.NewUpstream(t)
	return u, program.Start(t, mcptest.OneRoute(u.URL(), top, route))
}

// awaitQuiet waits until nothing is left of any exchange.
func awaitQuiet(d *mcptest.Daemon) {
	d.AwaitMetric(0, "mrtr_proxy_round_trips_open")
	d.AwaitMetric(0, "mrtr_proxy_streams_open")
}

// theOneResponse reads a reply to its end: exactly one response, to this id, and nothing
// behind it.
func theOneResponse(t *testing.T, s *mcptest.Stream, id string) *mcptest.Message {
	t.Helper()
	var responses []*mcptest.Message
	for m := s.Next(); m != nil; m = s.Next() {
		if m.IsResponse() {
			responses = append(responses, m)
		}
	}
	if err := s.End(); err != nil || len(responses) != 1 || string(responses[0].ID) != id {
		t.Fatalf("%d responses, end %v: %.600s", len(responses), err, s.Raw())
	}
	return responses[0]
}

// awaitServed calls a tool until that works again.
func awaitServed(t *testing.T, c *mcptest.Client) {
	t.Helper()
	n := 0
	mcptest.Eventually(t, "a call works again", func() bool {
		n++
		reply := c.CallTool(fmt.Sprintf(`"again-%d"`, n), "plain", `{}`)
		m := reply.Response()
		return reply.Status() == http.StatusOK && m.Text() == "plain"
	})
}
