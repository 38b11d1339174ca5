package mcptest

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

func TestDaemonIsStartedReloadedAndStopped(t *testing.T) {
	t.Setenv("MRTR_PROXY_BIN", os.Args[0])
	var program Program
	d := program.Start(t, OneRoute("http://127.0.0.1:1/mcp", "keep_alive: 1s", "limits: {max_rounds: 2}\nfailures: auto"))
	d.AwaitLog("keep_alive: 1s\nroutes:\n  - path: /mcp\n    upstream: {url: \"http://127.0.0.1:1/mcp\"}\n    limits: {max_rounds: 2}\n    failures: auto\n")
	d.AwaitMetric(5, "asks_total", "outcome", "answered")
	if got := d.Metrics().Sum("asks_total", "kind", "roots"); got != 2 {
		t.Errorf("asks of roots = %v, want 2", got)
	}
	status, body := d.Reload("keep_alive: 2s\n")
	if status != http.StatusOK || !strings.HasPrefix(body, "listen: 127.0.0.1:") || !strings.HasSuffix(body, "keep_alive: 2s\n") {
		t.Errorf("reload: HTTP %d %q", status, body)
	}
	if got := d.Stop(); got != 0 {
		t.Errorf("exit status %d", got)
	}
}

func TestTroubleInTheLogFailsTheTest(t *testing.T) {
	t.Setenv("MRTR_PROXY_BIN", os.Args[0])
	for _, c := range []struct{ name, yaml, secret, want string }{
		{"data race", "# WARNING: DATA RACE", "", `"WARNING: DATA RACE" in the log`},
		{"panic", "# panic: nil map", "", `"panic:" in the log`},
		{"secret", "# hunter2", "hunter2", `"hunter2" is in the log`},
		{"nothing", "# fine", "hunter2", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var program Program
			got := record(t, func(tb testing.TB) {
				d := program.Start(tb, c.yaml)
				d.AwaitLog(c.yaml)
				if c.secret != "" {
					d.NeverLogs(c.secret)
				}
			})
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("failures %q, want %q", got, c.want)
			}
		})
	}
}

func TestUpstreamOfTheRouteIsKept(t *testing.T) {
	got := OneRoute("http://a", "", "upstream:\n  url: http://b")
	if want := "routes:\n  - path: /mcp\n    upstream:\n      url: http://b\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
