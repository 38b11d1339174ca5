package upstream

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// The three refusals are between the proxy and the server: a name for the client, a second try where one can help.
func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name, err string
		reason    Reason
		code      int
		says      []string
		data      string
		requests  int
	}{
		{"headers", `{"code":-32020,"message":"Header mismatch: never\u0000right"}`, HeaderMismatch, -32603, []string{"never right"}, "", 2},
		{"capability", `{"code":-32021,"message":"secret","data":{"requiredCapabilities":{"elicitation":{"url":{},"form":{}},"roots":{}}}}`, MissingCapability, -32021, []string{"elicitation.url, roots"}, `{"requiredCapabilities":{"elicitation":{"url":{},"form":{}},"roots":{}}}`, 1},
		{"capability without names", `{"code":-32021,"message":"secret"}`, MissingCapability, -32021, []string{"capability"}, "", 1},
		{"capability with nonsense", `{"code":-32021,"message":"secret","data":{"requiredCapabilities":[1]}}`, MissingCapability, -32021, []string{"capability"}, "", 1},
		{"version", `{"code":-32022,"message":"secret","data":{"supported":["2027-01-01","2028-01-01"],"requested":"2026-07-28"}}`, NoCommonVersion, -32603, []string{"2027-01-01, 2028-01-01", "2026-07-28"}, `{"supported":["2027-01-01","2028-01-01"],"requested":"2026-07-28"}`, 1},
		{"version that is ours", `{"code":-32022,"message":"secret","data":{"supported":["2026-07-28"]}}`, NoCommonVersion, -32603, nil, "", 2},
		{"version without a list", `{"code":-32022,"message":"secret"}`, NoCommonVersion, -32603, []string{"none"}, `{"supported":[],"requested":"2026-07-28"}`, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, say(400, "application/json", rpcError(tc.err)))
			got, _, err := try(t, to(t, s), toolCall(t), Retry{})
			if err == nil || err.Reason != tc.reason || err.Code != tc.code || len(got.replies) != 0 {
				t.Fatalf("got %+v, replies %q", err, got.replies)
			}
			for _, text := range tc.says {
				if !strings.Contains(err.Message, text) || strings.Contains(err.Message, "secret") {
					t.Errorf("message %q, want one with %q", err.Message, text)
				}
			}
			if tc.data != "" && string(err.Data) != tc.data {
				t.Errorf("data %s, want %s", err.Data, tc.data)
			}
			if n := len(s.calls()); n != tc.requests {
				t.Errorf("%d calls, want %d", n, tc.requests)
			}
		})
	}
}

// A refusal that the second try cures is never heard of, also in the middle of a round trip.
func TestRefusalIsCured(t *testing.T) {
	var n atomic.Int32
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		if q.method == wire.MethodToolsCall && n.Add(1) == 1 {
			say(400, "application/json", rpcError(`{"code":-32020,"message":"no"}`))(w, r, q)
			return
		}
		say(200, "application/json", result(done))(w, r, q)
	})
	_, res, err := try(t, to(t, s), toolCall(t), Retry{State: []byte(`"s"`)})
	seen := s.calls()
	if err != nil || res.Outcome != Complete || len(seen) != 2 || seen[0].id == seen[1].id || string(seen[1].params["requestState"]) != `"s"` {
		t.Errorf("%+v %+v %d requests", err, res, len(seen))
	}
}
