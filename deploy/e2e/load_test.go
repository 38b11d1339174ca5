//go:build deploy

package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

var program mcptest.Program

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }

// world is a daemon with a scripted server behind all of its routes, and clients that keep it busy.
type world struct {
	t      *testing.T
	up     *mcptest.Upstream
	daemon *mcptest.Daemon
	dir    string

	faults atomic.Bool // the clients use the routes on which things go wrong
	paused atomic.Bool
	stop   chan struct{}
	ended  sync.Once
	done   sync.WaitGroup
}

// faulty are the routes on which things go wrong, each in its own way.
var faulty = []string{"/failing", "/protocol", "/trips", "/unanswered", "/lost", "/spent"}

func (w *world) config(auditFile string) string {
	var b strings.Builder
	b.WriteString("audit: {file: " + auditFile + "}\nlog: {access: \"off\"}\nlimits: {max_rounds: 3}\nbudgets: [{name: one-a-day, match: {tool: auto_spent}, per: tool, max_asks: 1, window: 24h}]\npolicy:\n  rules:\n" +
		"    - {name: the-usual-port, match: {tool: \"auto_*\"}, accept: {content: {port: 8080}}}\nroutes:\n")
	for _, path := range append([]string{"/mcp"}, faulty...) {
		b.WriteString("  - {path: " + path + ", upstream: {url: \"" + w.up.URL() + "\"}}\n")
	}
	return b.String()
}

func start(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, up: mcptest.NewUpstream(t), dir: t.TempDir(), stop: make(chan struct{})}
	w.up.Handle("tools/call", w.tool)
	w.daemon = program.Start(t, w.config(filepath.Join(w.dir, "audit")))
	for _, path := range append([]string{"/mcp"}, faulty...) {
		w.done.Go(func() { w.client(path) })
	}
	t.Cleanup(w.end)
	return w
}

// end lets the clients finish what they do. It comes before the end of the test, which cuts off what still runs.
func (w *world) end() {
	w.ended.Do(func() { close(w.stop) })
	w.done.Wait()
}

// tool is what the server does, by the name of the tool.
func (w *world) tool(a *mcptest.Attempt) mcptest.Reply {
	port := mcptest.Form("q", "Which port?", mcptest.PortSchema)
	switch {
	case a.Name() == "unavailable":
		return mcptest.Reply{Status: http.StatusServiceUnavailable}
	case a.Name() == "nonsense":
		return mcptest.Reply{Result: `{"resultType":"input_required","inputRequests":null}`}
	case a.Name() == "auto_for_ever":
		return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, port)}
	case a.Name() == "broken":
		return mcptest.Reply{Write: func(o *mcptest.Writer) {
			o.Header().Set("Content-Length", strconv.Itoa(3<<20))
			o.Open(http.StatusOK, "application/json")
			o.Bytes(`{"jsonrpc":"2.0","id":` + string(a.ID) + `,"result":{"resultType":"complete","content":[{"type":"text","text":"` + strings.Repeat("x", 2<<20))
			o.Break()
		}}
	case a.Name() == "plain" || a.IsRetry():
		return mcptest.Reply{Result: mcptest.Text("done")}
	case a.Name() == "later":
		return mcptest.Reply{Result: mcptest.InputRequired(`"later"`)}
	}
	return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, port)}
}

// client sends one request after the other until the end; on a faulty route only while things are to go wrong.
func (w *world) client(path string) {
	pace := time.NewTicker(50 * time.Millisecond)
	defer pace.Stop()
	c := mcptest.NewClient(w.t, w.daemon.URL()+path)
	if path == "/unanswered" {
		c.Header.Set("Accept", "application/json") // it cannot be asked
	}
	c.Initialize(mcptest.V20251125, mcptest.EveryCapability)
	for id := 1; ; id++ {
		select {
		case <-w.stop:
			return
		case <-pace.C:
		}
		if w.paused.Load() || path != "/mcp" && !w.faults.Load() {
			continue
		}
		w.request(c, path, id)
	}
}

func (w *world) request(c *mcptest.Client, path string, id int) {
	name := map[string]string{"/failing": "unavailable", "/protocol": "nonsense", "/trips": "auto_for_ever", "/unanswered": "ask", "/lost": "broken", "/spent": "auto_spent"}[path]
	if path == "/mcp" {
		name = []string{"plain", "ask", "auto_port", "later"}[id%4]
	}
	if id%20 == 0 && path == "/mcp" { // a client that comes and goes
		other := mcptest.Connect(w.t, w.daemon.URL()+path, mcptest.V20250618, `{}`)
		stream := other.Listen()
		other.Request("1", "tools/list", `{}`).Response()
		stream.Drop()
		other.Delete()
	}
	call := c.CallTool(strconv.Itoa(id), name, `{}`)
	switch {
	case path == "/lost":
		_ = call.End()
		return
	case path == "/mcp" && name == "ask":
		c.Answer(call.Ask("elicitation/create"), `{"action":"accept","content":{"port":1}}`)
	}
	call.Response()
}
