package modern_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// replicas starts daemons with one key file and puts a front before them that takes
// them in turn, a request each. It gives the front's endpoint and their number of
// requests so far.
func replicas(t *testing.T, up *mcptest.Upstream, n int, route string) (endpoint string, served func() []int64) {
	t.Helper()
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(strings.Repeat("5a", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var targets []*url.URL
	for range n {
		d := program.Start(t, mcptest.OneRoute(up.URL(), `session: {key_file: "`+keys+`"}`, route))
		target, err := url.Parse(d.URL())
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, target)
	}
	counts := make([]atomic.Int64, n)
	var turn atomic.Int64
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	front := &httputil.ReverseProxy{Transport: transport, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		i := int(turn.Add(1)-1) % n
		counts[i].Add(1)
		r.SetURL(targets[i])
	}}
	return mcptest.Serve(t, front) + "/mcp", func() (all []int64) {
		for i := range counts {
			all = append(all, counts[i].Load())
		}
		return all
	}
}

// With one key on all replicas a round trip goes on wherever its retry lands, and the
// limits hold there.
func TestRetriesMayLandAnywhere(t *testing.T) {
	const rounds = 5
	up := mcptest.NewUpstream(t)
	up.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		if a.Name() == "endless" || a.Number < rounds {
			return mcptest.Reply{Result: mcptest.InputRequired(`"`+strings.Repeat("s", a.Number)+`"`, port)}
		}
		return mcptest.Reply{Result: mcptest.Text(string(a.Response("port")))}
	})
	endpoint, served := replicas(t, up, 2, "limits: {max_rounds: 5}")
	c := (&world{t: t, endpoint: endpoint}).client()
	m := c.call("").Response()
	for range rounds - 1 {
		if !isAsked(m) {
			t.Fatalf("%s", m.Raw)
		}
		m = c.retry(m, `{"port":`+portAnswer+`}`).Response()
	}
	if m.Text() != portAnswer {
		t.Errorf("it ends as %s", m.Raw)
	}
	if got := served(); got[0] != 3 || got[1] != 2 {
		t.Errorf("the replicas served %v requests", got)
	}

	before := len(up.Attempts("tools/call"))
	call := func(state string) *mcptest.Message {
		return c.send("1", "tools/call", "endless", `"name":"endless"`+state).Response()
	}
	m = call("")
	for isAsked(m) {
		m = call(`,"requestState":` + string(mcptest.Member(m.Result, "requestState")) + `,"inputResponses":{"port":` + portAnswer + `}`)
	}
	if f := m.Failure(); f == nil || f.Limit != "max_rounds" || f.Rounds != rounds {
		t.Errorf("it ends as %s", m.Raw)
	}
	if n := len(up.Attempts("tools/call")) - before; n != rounds {
		t.Errorf("%d attempts, want %d", n, rounds)
	}
}
