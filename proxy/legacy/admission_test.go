package legacy_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

// Upstream takes longer to judge a credential than the time between two comments, so
// that the reply to logging/setLevel is a stream when the judgement comes.
func TestARefusalAfterTheFirstCommentIsAnEventLikeAnyOther(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.KeepAlive = 5 * time.Millisecond })
	client := w.connectAs(jwt("ann", 1))
	judge := make(chan struct{})
	w.upstream.Handle("server/discover", func(*mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(out *mcptest.Writer) {
			out.Wait(judge)
			out.Header().Set("Content-Type", "application/json")
			out.Open(http.StatusUnauthorized, "application/json")
		}}
	})
	reply := as(t, client, jwt("ann", 2)).Request("5", "logging/setLevel", `{"level":"debug"}`)
	reply.AwaitComments(3)
	close(judge)
	if m := reply.Response(); m.Error == nil || string(m.ID) != "5" {
		t.Errorf("%s", reply.Raw())
	}
	if err := reply.End(); err != nil {
		t.Errorf("end: %v", err)
	}
	w.awaitQuiet()
}

func TestSetLevelGoesUpWithEveryRequest(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	client.Request("1", "tools/list", `{}`).Response()
	if m := client.Request("2", "logging/setLevel", `{"level":"loud"}`).Response(); m.Code() != -32602 {
		t.Errorf("an unknown level: %s", m.Raw)
	}
	if m := client.Request("3", "logging/setLevel", `{"level":"warning"}`).Response(); m.Result == nil {
		t.Errorf("%s", m.Raw)
	}
	client.Request("4", "tools/list", `{}`).Response()
	for i, want := range []string{"", `"warning"`} {
		if got := string(w.upstream.Await("tools/list", i+1).Meta(mcptest.MetaLogLevel)); got != want {
			t.Errorf("attempt %d: level %s, want %s", i+1, got, want)
		}
	}
	if n := len(w.upstream.Attempts("logging/setLevel")); n != 0 {
		t.Errorf("%d attempts", n)
	}
}
