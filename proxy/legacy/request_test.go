package legacy_test

import (
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// An empty cursor is a cursor; the end is where there is none (MCP, Pagination).
func TestCursorsPassAsTheyAre(t *testing.T) {
	w := newWorld(t)
	const down = `{"prompts":[],"nextCursor":"","x":1.0}`
	w.upstream.Handle("prompts/list", mcptest.Always(mcptest.Reply{Result: `{"prompts":[],"nextCursor":"","x":1.0,"ttlMs":5,"cacheScope":"public","resultType":"complete"}`}))
	client := w.connect(mcptest.V20250618)
	for i, cursor := range []string{"", `""`, `"\u0061\/="`} {
		params := `{}`
		if cursor != "" {
			params = `{"cursor":` + cursor + `}`
		}
		if got := string(client.Request("1", "prompts/list", params).Response().Result); got != down {
			t.Errorf("cursor %s: came down as %s", cursor, got)
		}
		if got := string(w.upstream.Await("prompts/list", i+1).Param("cursor")); got != cursor {
			t.Errorf("cursor %s went up as %s", cursor, got)
		}
	}
}
