//go:build deploy

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What an operator sees, from the first scrape over every fault to the end of it.
func TestPrometheusSeesEverything(t *testing.T) {
	w := start(t)
	p := startPrometheus(t, strings.TrimPrefix(w.daemon.AdminURL(), "http://"))
	p.eventually("the target is up", 30*time.Second, func() string { return w.target(p) })
	p.eventually("the rules are loaded", 30*time.Second, func() string { return rules(p) })

	const settle = 8 * time.Second // longer than every window of a rule but one
	time.Sleep(settle)
	p.fires("nothing is wrong")

	w.faults.Store(true)
	w.reload(t, filepath.Join("/dev", "full"), http.StatusOK)
	w.daemon.WriteConfig("routes: 1\n")
	if status, _ := w.daemon.Admin(http.MethodPost, "/-/reload"); status != http.StatusUnprocessableEntity {
		t.Fatalf("a bad configuration: HTTP %d", status)
	}
	p.fires("everything is wrong",
		"MrtrProxyUpstreamFailing /failing", "MrtrProxyUpstreamFailing /lost", "MrtrProxyUpstreamBreaksProtocol /protocol",
		"MrtrProxyLimitTrips /trips max_rounds", "MrtrProxyAsksUnanswered /unanswered", "MrtrProxyMessagesLost broken_reply",
		"MrtrProxyAuditRecordsLost /mcp", "MrtrProxyAuditRecordsLost /trips", "MrtrProxyAuditRecordsLost /unanswered",
		"MrtrProxyReloadFailed")
	for _, q := range append(dashboard(t), examples(t)...) {
		p.eventually(q, 15*time.Second, func() string {
			found, err := p.query(q)
			if err != nil {
				return err.Error()
			}
			if len(found) == 0 {
				return "no data"
			}
			return ""
		})
	}
	checkMetrics(t, w)

	w.faults.Store(false)
	w.reload(t, filepath.Join(w.dir, "audit"), http.StatusOK)
	p.fires("everything is well again")

	w.paused.Store(true)
	w.daemon.Signal(syscall.SIGSTOP)
	p.fires("the daemon hangs", "MrtrProxyDown")
	w.daemon.Signal(syscall.SIGCONT)
	w.paused.Store(false)
	p.fires("the daemon is back")
	w.end()
}

func (w *world) reload(t *testing.T, auditFile string, want int) {
	t.Helper()
	if status, body := w.daemon.Reload(w.config(auditFile)); status != want {
		t.Fatalf("reload: HTTP %d %s", status, body)
	}
}

// target says what is wrong with the one target.
func (w *world) target(p *prometheus) string {
	var data struct {
		ActiveTargets []struct{ Health, LastError string }
	}
	if err := p.get("/api/v1/targets", nil, &data); err != nil {
		return err.Error()
	}
	if len(data.ActiveTargets) != 1 || data.ActiveTargets[0].Health != "up" || data.ActiveTargets[0].LastError != "" {
		return fmt.Sprintf("%+v", data)
	}
	return ""
}

// rules says what is wrong with the rules: all have to be loaded and evaluated.
func rules(p *prometheus) string {
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	if err := p.get("/api/v1/rules", nil, &data); err != nil {
		return err.Error()
	}
	n := 0
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			if r.Health != "ok" {
				return r.Name + ": " + r.Health + " " + r.LastError
			}
			n++
		}
	}
	if n < 14 {
		return "too few"
	}
	return ""
}

// variables of the dashboard, as Grafana fills them in.
var variables = strings.NewReplacer("$__rate_interval", "5s", "$route", ".*")

// dashboard gives the query of every panel.
func dashboard(t *testing.T) (queries []string) {
	t.Helper()
	data, err := os.ReadFile("../grafana/mrtr-proxy.json")
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			queries = append(queries, variables.Replace(q.Expr))
		}
	}
	if len(queries) < 20 {
		t.Fatalf("%d queries in the dashboard", len(queries))
	}
	return queries
}

// examples gives the queries of metrics.md.
func examples(t *testing.T) (queries []string) {
	t.Helper()
	page, err := os.ReadFile("../../metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(page), "```promql\n")
	if !ok {
		t.Fatal("no examples in metrics.md")
	}
	block, _, _ = strings.Cut(block, "```")
	for line := range strings.Lines(block) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			queries = append(queries, regexp.MustCompile(`\[\d+[mhd]\]`).ReplaceAllString(line, "[5s]"))
		}
	}
	return queries
}

// checkMetrics has promtool read the metrics.
func checkMetrics(t *testing.T, w *world) {
	t.Helper()
	_, text := w.daemon.Admin(http.MethodGet, "/metrics")
	command := exec.CommandContext(t.Context(), "promtool", "check", "metrics")
	command.Stdin = strings.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
}
