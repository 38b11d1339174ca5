package legacy_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

const (
	pingOne   = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	callTwo   = `{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"name":"release"}}`
	callThree = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"release"}}`
	cancelNo  = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}`
)

// ids are the raw ids of responses, sorted.
func ids(messages ...*mcptest.Message) (all []string) {
	for _, m := range messages {
		all = append(all, string(m.ID))
	}
	slices.Sort(all)
	return all
}

// everyMessage reads a reply to its end.
func everyMessage(s *mcptest.Stream) (all []*mcptest.Message) {
	for m := s.Next(); m != nil; m = s.Next() {
		all = append(all, m)
	}
	return all
}

func TestABatchIsServedWhole(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
	client := w.connect(mcptest.V20250326)
	for _, c := range []struct {
		name string
		body string
		want []string
	}{
		{"requests and a notification", "[" + pingOne + "," + callTwo + "," + cancelNo + "]", []string{`"two"`, `1`}},
		{"white space and a BOM", "\xef\xbb\xbf \n[ " + pingOne + "\n]\t", []string{`1`}},
		{"one id twice", "[" + pingOne + "," + strings.Replace(callTwo, `"two"`, `4`, 1) + "]", []string{`1`, `4`}},
		{"initialize among others", `[{"jsonrpc":"2.0","id":9,"method":"initialize","params":{}},` + pingOne + `]`, []string{`1`, `9`}},
		{"no message among others", `[{"jsonrpc":"1.0","id":9,"method":"x"},` + pingOne + `]`, []string{`1`, `9`}},
		{"an array among others", `[[` + pingOne + `],` + pingOne + `]`, []string{`1`, `null`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := client.Post(c.body)
			got := everyMessage(reply)
			if reply.Status() != http.StatusOK || reply.IsEvents() || !slices.Equal(ids(got...), c.want) {
				t.Errorf("HTTP %d, ids %v, want %v: %s", reply.Status(), ids(got...), c.want, reply.Raw())
			}
			if !strings.HasPrefix(reply.Raw(), "[") {
				t.Errorf("no array: %s", reply.Raw())
			}
		})
	}
	if reply := client.Post("[" + cancelNo + "]"); reply.Status() != http.StatusAccepted || reply.Body() != "" {
		t.Errorf("notifications only: HTTP %d %q", reply.Status(), reply.Body())
	}
	w.awaitQuiet()
}

func TestABatchIsRefused(t *testing.T) {
	w := newWorld(t)
	current, early := w.connect(mcptest.V20250618), w.connect(mcptest.V20250326)
	for _, c := range []struct {
		name   string
		client *mcptest.Client
		body   string
		status int
	}{
		{"in a later revision", current, "[" + pingOne + "]", 400},
		{"in an earlier revision", w.connect(mcptest.V20241105), "[" + pingOne + "]", 400},
		{"without a session", mcptest.NewClient(t, w.url+"/mcp"), "[" + pingOne + "]", 400},
		{"empty", early, "[]", 400},
		{"of 101 messages", early, "[" + strings.Repeat(pingOne+",", 100) + pingOne + "]", 400},
		{"that is no JSON", early, "[" + pingOne + ",]", 400},
		{"that does not end", early, "[" + pingOne, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := c.client.Post(c.body)
			if m := reply.Response(); reply.Status() != c.status || m.Code() == 0 || string(m.ID) != "null" {
				t.Errorf("HTTP %d %s", reply.Status(), m.Raw)
			}
		})
	}
}

// As soon as one message of a batch needs a stream, all of it goes on one.
func TestABatchThatIsAskedBecomesAStream(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	client := w.connect(mcptest.V20250326)
	reply := client.Post("[" + pingOne + "," + callTwo + "," + callThree + "]")
	var asked []*mcptest.Message
	got := map[string]bool{}
	for m := reply.Next(); m != nil; m = reply.Next() {
		if !m.IsRequest() {
			got[string(m.ID)] = true
			continue
		}
		if asked = append(asked, m); len(asked) == 2 {
			for _, ask := range asked {
				if status := client.Answer(ask, rootsAnswer); status != http.StatusAccepted {
					t.Errorf("answer: HTTP %d", status)
				}
			}
		}
	}
	if len(asked) != 2 || len(got) != 3 || !reply.IsEvents() {
		t.Errorf("%d asks, responses %v", len(asked), got)
	}
	w.awaitQuiet()
}

// A dropped connection ends every exchange of the batch: it cannot be resumed.
func TestADroppedBatchEndsItsExchanges(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	client := w.connect(mcptest.V20250326)
	reply := client.Post("[" + callTwo + "," + callThree + "]")
	reply.Ask("roots/list")
	reply.Ask("roots/list")
	reply.Drop()
	w.awaitQuiet()
	mcptest.Eventually(t, "both are counted as cancelled", func() bool { return w.sum("requests_total", "outcome", "cancelled") == 2 })
}

// One reply of a batch that cannot be finished must not spoil the others.
func TestALongReplyThatBreaksOffLeavesTheRestOfItsBatchWhole(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250326)
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(out *mcptest.Writer) {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"x":"%s"}}`, a.ID, strings.Repeat("x", 5<<18))
			out.Header().Set("Content-Length", fmt.Sprint(len(body)))
			out.Open(200, "application/json")
			out.Bytes(body[:9<<17])
			out.Break()
		}}
	})
	reply := client.Post("[" + pingOne + "," + callTwo + "]")
	got := everyMessage(reply)
	if err := reply.End(); err != nil || !slices.Equal(ids(got...), []string{`"two"`, `1`}) {
		t.Errorf("%v, ids %v in %d bytes", err, ids(got...), len(reply.Raw()))
	}
}

// The answer to a request of a batch is a response of its own however it fails.
func TestEveryRequestOfABatchHasOneResponse(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.InTurn(mcptest.Reply{Status: 401, Error: `{"code":-32001,"message":"who?"}`}, mcptest.Reply{Cut: mcptest.BeforeHeaders}))
	client := w.connect(mcptest.V20250326)
	client.Header = http.Header{"Accept": {"application/json"}}
	began := time.Now()
	got := everyMessage(client.Post("[" + callTwo + "," + callThree + "]"))
	if !slices.Equal(ids(got...), []string{`"two"`, `3`}) {
		t.Errorf("ids %v", ids(got...))
	}
	for _, m := range got {
		if m.Error == nil {
			t.Errorf("%s", m.Raw)
		}
	}
	if took := time.Since(began); took > mcptest.Patience {
		t.Errorf("took %v", took)
	}
}
