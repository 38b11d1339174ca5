package legacy_test

import (
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// What goes up is what the client can be asked for on this very request, in the forms
// that its revision has.
func TestWhatIsDeclaredForAClient(t *testing.T) {
	const both = "application/json, text/event-stream"
	for _, c := range []struct{ version, declared, accept, want string }{
		{mcptest.V20241105, mcptest.EveryCapability, both, `{"sampling":{},"roots":{}}`},
		{mcptest.V20250326, mcptest.EveryCapability, both, `{"sampling":{},"roots":{}}`},
		{mcptest.V20250618, mcptest.EveryCapability, both, `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`},
		{mcptest.V20251125, mcptest.EveryCapability, both, `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}`},
		{mcptest.V20251125, `{"elicitation":{},"tasks":{"list":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`, both, `{"elicitation":{"form":{}}}`},
		{mcptest.V20251125, `{"elicitation":true,"sampling":7,"roots":null}`, both, `{}`},
		{mcptest.V20251125, mcptest.EveryCapability, "application/json", `{}`},
	} {
		w := newWorld(t)
		client := mcptest.Connect(t, w.url+"/mcp", c.version, c.declared)
		client.Header.Set("Accept", c.accept)
		client.Request("1", "tools/list", "").Response()
		if got := w.upstream.Await("tools/list", 1).Capabilities(); !mcptest.Same(got, []byte(c.want)) {
			t.Errorf("%s, %s, Accept %s:\n got %s\nwant %s", c.version, c.declared, c.accept, got, c.want)
		}
	}
}
