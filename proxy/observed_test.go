package proxy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// accessLines are the lines of the access log, without the time.
func accessLines(t *testing.T, d *mcptest.Daemon) (lines []map[string]any) {
	t.Helper()
	for s := bufio.NewScanner(strings.NewReader(d.Log())); s.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(s.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		if line["logger"] == "access" {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestALineForEachExchange(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Asking(`"the-state"`, mcptest.Form("q", "Which port?", mcptest.PortSchema)))
	d := program.Start(t, mcptest.OneRoute(up.URL(), "", ""))
	d.NeverLogs("the-state", "Which port", "an-argument", "the-credential", "request-77", `"content"`)
	c := mcptest.NewClient(t, d.Endpoint())
	c.Header.Set("Authorization", "Bearer the-credential")
	c.Initialize(mcptest.V20251125, mcptest.EveryCapability)
	call := c.CallTool(`"request-77"`, "release", `{"a":"an-argument"}`)
	c.Answer(call.Ask("elicitation/create"), port)
	call.Response()
	up.Handle("tools/call", mcptest.Always(mcptest.Reply{Status: http.StatusServiceUnavailable}))
	c.CallTool("2", "release", `{}`).Response()
	d.AwaitLog(`"exchange upstream_failed"`)

	lines := accessLines(t, d)
	if len(lines) != 3 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	for i, want := range []string{
		"exchange ok route=/mcp era=legacy method=initialize outcome=ok rounds=0",
		"exchange ok route=/mcp era=legacy method=tools/call outcome=ok rounds=2",
		"exchange upstream_failed route=/mcp era=legacy method=tools/call outcome=upstream_failed rounds=1",
	} {
		l := lines[i]
		got := fmt.Sprintf("%v route=%v era=%v method=%v outcome=%v rounds=%v", l["msg"], l["route"], l["era"], l["method"], l["outcome"], l["rounds"])
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		for _, hash := range []string{"session", "principal"} {
			if text, _ := l[hash].(string); len(text) != 12 || text != lines[0][hash] {
				t.Errorf("%s of line %d: %v", hash, i, l[hash])
			}
		}
	}
	if lines[2]["reason"] != "status" || lines[2]["status"] != 503.0 {
		t.Errorf("%v", lines[2])
	}
}

const (
	traceID     = "0af7651916cd43dd8448eb211c80319c"
	traceparent = "00-" + traceID + "-b7ad6b7169203331-01"
)

// traced has a request of a client with a trace context and returns the _meta of the attempt.
func traced(t *testing.T, up *mcptest.Upstream, c *mcptest.Client, id, meta string, header http.Header) *mcptest.Attempt {
	t.Helper()
	c.Do(http.MethodPost, `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"x","arguments":{}`+meta+`}}`, header).Response()
	all := up.Attempts("tools/call")
	return all[len(all)-1]
}

func TestTraceContextOfTheRequestGoesIntoMeta(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
	d := program.Start(t, mcptest.OneRoute(up.URL(), "", ""))
	c := mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, `{}`)
	all := http.Header{"Traceparent": {traceparent}, "Tracestate": {"a=1", "b=2"}, "Baggage": {`who=ann`}}
	for i, tc := range []struct {
		name, meta                 string
		header                     http.Header
		parent, state, baggage, id string
	}{
		{"from the headers", "", all, `"` + traceparent + `"`, `"a=1,b=2"`, `"who=ann"`, traceID},
		{"beside other members", `,"_meta":{"vendor/x":1}`, all, `"` + traceparent + `"`, `"a=1,b=2"`, `"who=ann"`, traceID},
		{"_meta has its own", `,"_meta":{"traceparent":"00-11111111111111111111111111111111-2222222222222222-01"}`, all,
			`"00-11111111111111111111111111111111-2222222222222222-01"`, "", "", ""},
		{"_meta has a part", `,"_meta":{"baggage":"who=bob","tracestate":"c=3"}`, all, `"` + traceparent + `"`, `"c=3"`, `"who=bob"`, ""},
		{"no trace", "", http.Header{"Traceparent": {`00-"},"x":1`}, "Tracestate": {"a=1"}}, "", "", "", ""},
		{"two of them", "", http.Header{"Traceparent": {traceparent, traceparent}}, "", "", "", ""},
		{"too long", "", http.Header{"Baggage": {"k=" + strings.Repeat("v", 9000)}}, "", "", "", ""},
		{"none", "", nil, "", "", "", ""},
	} {
		a := traced(t, up, c, fmt.Sprint(i), tc.meta, tc.header)
		if got := [3]string{string(a.Meta("traceparent")), string(a.Meta("tracestate")), string(a.Meta("baggage"))}; got != [3]string{tc.parent, tc.state, tc.baggage} {
			t.Errorf("%s: %s", tc.name, got)
		}
	}
	if faults := up.TakeFaults(); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.AdminURL()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	found := map[string]bool{}
	for s := bufio.NewScanner(response.Body); s.Scan(); {
		if name, _, ok := strings.Cut(s.Text(), "_bucket{"); ok && strings.Contains(s.Text(), `# {trace_id="`+traceID+`"}`) {
			found[name] = true
		}
	}
	if !found["mrtr_proxy_request_duration_seconds"] || !found["mrtr_proxy_attempt_duration_seconds"] {
		t.Errorf("exemplars of %v", found)
	}
}

func TestNoLineWhereTheLogIsOff(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	d := program.Start(t, mcptest.OneRoute(up.URL(), `log: {access: "off"}`, ""))
	mcptest.Connect(t, d.Endpoint(), mcptest.V20251125, `{}`)
	if status, body := d.Reload(mcptest.OneRoute(up.URL(), `log: {access: all}`, "")); status != http.StatusOK {
		t.Fatalf("HTTP %d %s", status, body)
	}
	mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, `{}`)
	d.AwaitLog(`"exchange ok"`)
	if lines := accessLines(t, d); len(lines) != 1 {
		t.Errorf("%v", lines)
	}
}

func TestTraceContextOfAModernRequestGoesIntoMeta(t *testing.T) {
	t.Parallel()
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
	d := program.Start(t, mcptest.OneRoute(up.URL(), "", ""))
	c := mcptest.NewClient(t, d.Endpoint())
	c.Header = http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"x"}}
	const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`
	all := http.Header{"Traceparent": {traceparent}, "Baggage": {`who=ann`}}
	if a := traced(t, up, c, "1", meta+"}", all); string(a.Meta("traceparent")) != `"`+traceparent+`"` || string(a.Meta("baggage")) != `"who=ann"` {
		t.Errorf("%s", a.Params)
	}
	const own = "00-11111111111111111111111111111111-2222222222222222-01"
	if a := traced(t, up, c, "2", meta+`,"traceparent":"`+own+`"}`, all); string(a.Meta("traceparent")) != `"`+own+`"` || a.Meta("baggage") != nil {
		t.Errorf("%s", a.Params)
	}
	if faults := up.TakeFaults(); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
}
