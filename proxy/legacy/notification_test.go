package legacy_test

import (
	"net/http"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// The modern dialect has no notifications towards the server.
func TestNotificationsAreConsumed(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	for _, method := range []string{"notifications/initialized", "notifications/roots/list_changed", "notifications/progress", "notifications/cancelled", "notifications/unheard-of"} {
		if status := client.Notify(method, `{"requestId":"none","progressToken":1,"progress":1}`); status != http.StatusAccepted {
			t.Errorf("%s: HTTP %d", method, status)
		}
		if n := len(w.upstream.Attempts(method)); n != 0 {
			t.Errorf("%s went up", method)
		}
	}
}
