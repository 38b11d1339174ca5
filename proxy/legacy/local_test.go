package legacy_test

import (
	"net/http"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// Tasks are not bridged, and what is the modern dialect's own is none of a session's.
func TestWhatIsNotBridgedIsUnknown(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20251125)
	before := len(w.upstream.Attempts(""))
	for _, method := range []string{"tasks/list", "tasks/get", "tasks/cancel", "tasks/result", "server/discover", "subscriptions/listen"} {
		reply := client.Request("1", method, `{}`)
		if m := reply.Response(); m.Code() != -32601 || reply.Status() != http.StatusOK {
			t.Errorf("%s: HTTP %d %s", method, reply.Status(), m.Raw)
		}
	}
	if n := len(w.upstream.Attempts("")); n != before {
		t.Errorf("%d of them went up", n-before)
	}
}
