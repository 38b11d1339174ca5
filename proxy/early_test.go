package proxy_test

import (
	"net/http"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// Whether a modern client may answer before it is asked is the route's, and a reload can
// change it.
func TestARouteSaysWhatBecomesOfEarlyAnswers(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Asking(`"the-state"`, mcptest.Form("q", "Which port?", mcptest.PortSchema)))
	d := program.Start(t, mcptest.OneRoute(up.URL(), "", ""))
	const answer = `{"action":"accept","content":{"port":54321}}`
	d.NeverLogs("54321", "the-state", "never-asked")
	c := mcptest.NewClient(t, d.Endpoint())
	call := func() *mcptest.Stream {
		return c.Do(http.MethodPost, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"_meta":{"`+mcptest.MetaProtocolVersion+`":"`+mcptest.ModernVersion+
			`","`+mcptest.MetaClientCapabilities+`":{"elicitation":{}}},"name":"x","arguments":{},"inputResponses":{"q":`+answer+`,"never-asked":{}}}}`,
			http.Header{"Mcp-Protocol-Version": {mcptest.ModernVersion}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"x"}})
	}
	if s := call(); s.Status() != http.StatusBadRequest || s.Response().Code() != -32602 {
		t.Errorf("by default: HTTP %d %s", s.Status(), s.Raw())
	}
	if n := len(up.Attempts("tools/call")); n != 0 {
		t.Errorf("%d attempts of what was refused", n)
	}
	d.Reload(mcptest.OneRoute(up.URL(), "", "modern: {early_answers: hold}"))
	if m := call().Response(); m.Text() != `{"q":`+answer+`}` {
		t.Errorf("held: %s", m.Raw)
	}
	d.AwaitMetric(1, "mrtr_proxy_requests_total", "era", "modern", "method", "tools/call", "outcome", "ok")
	d.AwaitMetric(1, "mrtr_proxy_asks_total", "source", "client", "outcome", "accept")
	d.AwaitMetric(1, "mrtr_proxy_messages_dropped_total", "direction", "upstream", "reason", "late_answer")
	d.AwaitLog(`"exchange ok"`)
}
