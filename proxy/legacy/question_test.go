package legacy_test

import (
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// Each question comes on the stream of the request that caused it, under an id that is
// nobody else's. Requests 7 and "7" of one session are two.
func TestAQuestionRidesTheStreamOfItsRequest(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		if a.IsRetry() {
			return mcptest.Reply{Result: mcptest.Text(string(a.Param("arguments", "n")) + string(a.Response("r")))}
		}
		return mcptest.Reply{Result: mcptest.InputRequired("", mcptest.Roots("r"))}
	})
	client := w.connect(mcptest.V20250618)
	number, text := client.CallTool(`7`, "release", `{"n":1.0}`), client.CallTool(`"7"`, "release", `{"n":2.0}`)
	first, second := number.Ask("roots/list"), text.Ask("roots/list")
	if string(first.ID) == string(second.ID) {
		t.Errorf("both questions are %s", first.ID)
	}
	client.Answer(second, `{"roots":[{"uri":"file:///2"}]}`)
	client.Answer(first, `{"roots":[{"uri":"file:///1"}]}`)
	for reply, want := range map[*mcptest.Stream][2]string{number: {`7`, `1.0{"roots":[{"uri":"file:///1"}]}`}, text: {`"7"`, `2.0{"roots":[{"uri":"file:///2"}]}`}} {
		if m := reply.Response(); string(m.ID) != want[0] || m.Text() != want[1] {
			t.Errorf("got %s, want %s", m.Raw, want)
		}
	}
}

// A request id that is in use in its session is not taken again.
func TestARequestIDInUseIsRefused(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	reply, ask := asked(w, client)
	if m := client.Request("1", "tools/list", "").Response(); m.Code() != -32600 || string(m.ID) != "1" {
		t.Errorf("got %s", m.Raw)
	}
	client.Answer(ask, rootsAnswer)
	reply.Response()
	if m := client.Request("1", "tools/list", "").Response(); m.Result == nil {
		t.Errorf("once it is free again: %s", m.Raw)
	}
}
