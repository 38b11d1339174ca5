package legacy_test

import (
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// Consent to a link is not its completion: that is told once the server has a result, to
// clients whose revision knows it, and never for a link that was declined.
func TestALinkIsToldToBeComplete(t *testing.T) {
	for _, c := range []struct {
		version, action string
		told            bool
	}{
		{mcptest.V20251125, "accept", true},
		{mcptest.V20251125, "decline", false},
		{mcptest.V20250618, "accept", false},
	} {
		w := newWorld(t)
		w.upstream.Handle("tools/call", mcptest.InTurn(
			mcptest.Reply{Result: mcptest.InputRequired(`"s"`, mcptest.Link("login", "Log in", "https://login.example/start"))},
			mcptest.Reply{Result: mcptest.InputRequired(`"waiting"`)},
			mcptest.Reply{Result: mcptest.Text("connected")},
		))
		client := w.connect(c.version)
		call := client.CallTool("1", "connect", `{}`)
		ask := call.Ask("elicitation/create")
		client.Answer(ask, `{"action":"`+c.action+`"}`)
		m := call.Next()
		if c.told {
			want := string(mcptest.Member(ask.Params, "elicitationId"))
			if m.Method != "notifications/elicitation/complete" || string(mcptest.Member(m.Params, "elicitationId")) != want {
				t.Errorf("%+v: %s, want the completion of %s", c, m.Raw, want)
			}
			m = call.Next()
		}
		if !m.IsResponse() || m.Text() != "connected" {
			t.Errorf("%+v: %s", c, m.Raw)
		}
	}
}
