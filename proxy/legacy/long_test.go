package legacy_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

// half is a script that sends the first half of a reply that is long enough to go down
// in pieces, and then nothing.
func half(head chan<- struct{}) mcptest.Script {
	return func(a *mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(w *mcptest.Writer) {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"x":"%s"}}`, a.ID, strings.Repeat("x", 5<<18))
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			w.Open(200, "application/json")
			w.Bytes(body[:9<<17])
			head <- struct{}{}
			w.Hold()
		}}
	}
}

// A reply that goes down in pieces and cannot be finished, whatever the reason, breaks
// the connection: nothing else may be written into it, and a clean end would make a
// whole body of it.
func TestALongReplyThatCannotBeFinishedBreaksOff(t *testing.T) {
	for _, c := range []struct {
		name   string
		round  bool // it comes after a round
		finish func(*world, *mcptest.Client)
	}{
		{"upstream breaks off", false, func(w *world, _ *mcptest.Client) { w.upstream.Break() }},
		{"the client cancels", false, func(_ *world, c *mcptest.Client) { c.Cancel("7") }},
		{"the session ends", false, func(_ *world, c *mcptest.Client) { c.Delete() }},
		{"the proxy stops", false, func(w *world, _ *mcptest.Client) { w.stop() }},
		{"max_round_trip_time is over", true, func(*world, *mcptest.Client) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			limit := time.Minute
			if c.round {
				limit = 2 * time.Second
			}
			w := newWorld(t, func(o *proxy.Options) { o.Routes[0].Limits.MaxRoundTripTime = limit })
			client := w.connect(mcptest.V20250618)
			head := make(chan struct{}, 1)
			long := half(head)
			w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
				if c.round && !a.IsRetry() {
					return mcptest.Reply{Result: mcptest.InputRequired(`"s"`)}
				}
				return long(a)
			})
			reply := client.CallTool("7", "release", `{}`)
			<-head
			mcptest.Eventually(t, "the first half is down", func() bool { return len(reply.Raw()) > 1<<16 })
			c.finish(w, client)
			if err := reply.End(); err == nil {
				raw := reply.Raw()
				t.Errorf("a clean end after %d bytes: …%s", len(raw), raw[len(raw)-200:])
			}
			if raw := reply.Raw(); strings.Count(raw, `"jsonrpc"`) != 1 {
				t.Errorf("%d messages in one body", strings.Count(raw, `"jsonrpc"`))
			}
			w.awaitQuiet()
		})
	}
}

func TestALongReplyIsPassedOnInPieces(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	text := strings.Repeat("wide ", 270<<10)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text(text)}))
	if m := client.CallTool(`"a"`, "release", `{}`).Response(); m.Text() != text || string(m.ID) != `"a"` || mcptest.Member(m.Result, "resultType") != nil {
		t.Errorf("got %.100s", m.Raw)
	}
}
