//go:build soak

package soak

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

const (
	full    = 200_000 // exchanges
	clients = 32

	mostResident = 160 << 20 // bytes
)

var program mcptest.Program

func TestMain(m *testing.M) { os.Exit(program.Run(m)) }

const rules = `
log: {access: "off", level: error}
audit: {file: /dev/null}
legacy: {resume_window: 1s}
answers: {on_timeout: fail}
limits: {max_rounds: 3, input_timeout: 2s}
policy:
  rules:
    - {name: the-usual-port, match: {tool: "auto_*"}, accept: {content: {port: 8080}}}
`

// figures are what the process says of itself.
type figures struct{ live, resident, goroutines, files, exchanges float64 }

func read(d *mcptest.Daemon) figures {
	// The collector takes its time while the heap is small; what is live shows after it has run.
	d.Admin(http.MethodGet, "/debug/pprof/heap?gc=1")
	m := d.Metrics()
	return figures{m.Sum("go_memstats_heap_alloc_bytes"), m.Sum("process_resident_memory_bytes"), m.Sum("go_goroutines"), m.Sum("process_open_fds"), m.Sum("mrtr_proxy_requests_total")}
}

func (f figures) String() string {
	return fmt.Sprintf("%7.0f exchanges: %5.1f MiB live, %5.1f MiB resident, %4.0f goroutines, %4.0f files", f.exchanges, f.live/(1<<20), f.resident/(1<<20), f.goroutines, f.files)
}

func TestNothingStaysBehind(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(serve))
	defer up.Close()
	up.Config.ErrorLog = nil
	d := program.Start(t, mcptest.OneRoute(up.URL+"/mcp", rules, ""))
	began, exchanges := time.Now(), int64(full)
	if testing.Short() {
		exchanges /= 10
	}

	// One round of everything first, so that what is kept for good is there.
	run(t, d, exchanges/10)
	first := read(d)
	t.Log(first)
	var last figures
	for range 3 {
		run(t, d, exchanges*3/10)
		last = read(d)
		t.Log(last)
	}
	took := time.Since(began)
	if last.exchanges < float64(exchanges) {
		t.Errorf("%.0f exchanges, want %d", last.exchanges, exchanges)
	}
	t.Logf("%v, %.0f exchanges a second", took.Round(time.Second), last.exchanges/took.Seconds())

	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	d.AwaitMetric(0, "mrtr_proxy_round_trips_open")
	for _, kind := range []string{"exchange", "standing", "listen"} {
		d.AwaitMetric(0, "mrtr_proxy_streams_open", "kind", kind)
	}
	rest := read(d)
	t.Log("at rest,", rest)
	if most := first.live*1.2 + 4<<20; rest.live > most {
		t.Errorf("%.1f MiB are live at rest, %.1f were after a tenth", rest.live/(1<<20), first.live/(1<<20))
	}
	if rest.resident > mostResident {
		t.Errorf("%.1f MiB are resident", rest.resident/(1<<20))
	}
	if rest.goroutines > first.goroutines+clients {
		t.Errorf("%.0f goroutines at rest, %.0f under load", rest.goroutines, first.goroutines)
	}
	for _, outcome := range []string{"ok", "error", "limit", "input_failed", "protocol", "upstream_failed", "cancelled"} {
		n := d.Metrics().Sum("mrtr_proxy_requests_total", "outcome", outcome)
		t.Logf("%-16s %7.0f", outcome, n)
		if n == 0 {
			t.Errorf("none ended as %s", outcome)
		}
	}
}

// run has the clients send about so many requests.
func run(t *testing.T, d *mcptest.Daemon, n int64) {
	t.Helper()
	var left atomic.Int64
	left.Store(n)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			transport := &http.Transport{MaxIdleConnsPerHost: 4, DisableCompression: true}
			defer transport.CloseIdleConnections()
			c := &client{http: &http.Client{Transport: transport, Timeout: time.Minute}, endpoint: d.Endpoint()}
			for turn := i; left.Add(-1) > 0; turn++ {
				if err := c.turn(turn); err != nil {
					t.Errorf("%v", err)
					return
				}
			}
			if c.session != "" {
				_ = c.open()
			}
		})
	}
	all.Wait()
}

// turn makes one exchange, which one by the number.
func (c *client) turn(n int) error {
	if c.session == "" || n%97 == 0 {
		return c.open()
	}
	tool, want := "plain", `"done"`
	switch k := n % 200; {
	case k < 40:
		tool = "ask"
	case k < 60:
		tool = "auto_port"
	case k < 66:
		tool = "later"
	case k < 76:
		tool = "progress"
	case k < 80:
		tool, want = "error", `"no"`
	case k < 82:
		tool, want = "unavailable", `"error"`
	case k < 84:
		tool, want = "cut", `"error"`
	case k < 86:
		tool, want = "nonsense", `protocol`
	case k < 88:
		tool, want = "auto_for_ever", `mrtr_round_limit`
	case n%1000 == 88:
		tool, want = "silent", `timeout`
	case k == 89:
		tool, want = "long", `xxx`
	case k == 90:
		c.cancelled()
		return nil
	case k == 91:
		c.dropped("hang")
		return nil
	case k == 92:
		c.dropped("ask")
		return nil
	case k == 93:
		c.stand()
		return nil
	case k < 105:
		return c.check("modern plain", `"done"`, func() (string, error) { return c.modern("plain") })
	case k < 115:
		return c.check("modern ask", `"done"`, func() (string, error) { return c.modern("ask") })
	}
	return c.check(tool, want, func() (string, error) { return c.call(context.Background(), tool) })
}

func (c *client) check(what, want string, call func() (string, error)) error {
	got, err := call()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	if !strings.Contains(got, want) {
		return fmt.Errorf("%s: %.200s", what, got)
	}
	return nil
}
