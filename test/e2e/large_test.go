package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// large is a script with a result of about so many bytes; the length is told ahead
// where it is sized.
func large(size int, contentType string, sized bool) mcptest.Script {
	return func(a *mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Write: func(w *mcptest.Writer) {
			head, tail := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[],"x":"`, a.ID), `"}}`
			if contentType == "text/event-stream" {
				head, tail = "data: "+head, tail+"\n\n"
			}
			piece := strings.Repeat("x", 1<<20)
			if sized {
				w.Header().Set("Content-Length", fmt.Sprint(len(head)+size+len(tail)))
			}
			w.Open(http.StatusOK, contentType)
			w.Bytes(head)
			for left := size; left > 0; left -= len(piece) {
				w.Bytes(piece[:min(left, len(piece))])
			}
			w.Bytes(tail)
		}}
	}
}

// A result of 64 MiB, the largest that the defaults allow, passes.
func TestTheLargestResult(t *testing.T) {
	u, d := start(t, "", "")
	client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
	const size = 64<<20 - 200
	for _, sized := range []bool{true, false} {
		u.Handle("tools/call", large(size, "application/json", sized))
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.Endpoint(), strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"release"}}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Session-Id": {client.Session}}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if err != nil || n < size {
			t.Errorf("sized %v: %d bytes, %v", sized, n, err)
		}
	}
	awaitQuiet(d)
}

// One over max_message_bytes is one error, whether or not a length says so ahead.
func TestResultsThatAreTooLarge(t *testing.T) {
	u, d := start(t, "security: {max_message_bytes: 256KiB}", "")
	client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
	for _, c := range []struct {
		kind  string
		sized bool
	}{{"application/json", true}, {"application/json", false}, {"text/event-stream", false}} {
		u.Handle("tools/call", large(3<<20, c.kind, c.sized))
		if m := theOneResponse(t, client.CallTool("7", "release", `{}`), "7"); !strings.Contains(m.ErrorText(), "max_message_bytes") {
			t.Errorf("%+v: %.300s", c, m.Raw)
		}
	}
	awaitQuiet(d)
}
