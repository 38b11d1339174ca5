//go:build deploy

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// prometheus is a running server that scrapes one target twice a second.
type prometheus struct {
	t   *testing.T
	url string
}

// minutes are the durations of rules that the test makes seconds of.
var minutes = regexp.MustCompile(`(\[|for: )(\d+)m`)

// startPrometheus runs Debian's Prometheus with the rules, their minutes made seconds.
func startPrometheus(t *testing.T, target string) *prometheus {
	t.Helper()
	dir := t.TempDir()
	rules, err := os.ReadFile("../prometheus/rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("rules.yaml", minutes.ReplaceAllString(string(rules), "${1}${2}s"))
	config := write("prometheus.yaml", fmt.Sprintf(`
global: {scrape_interval: 500ms, scrape_timeout: 400ms, evaluation_interval: 500ms}
rule_files: [rules.yaml]
scrape_configs:
  - job_name: mrtr-proxy
    static_configs: [{targets: [%q]}]
`, target))
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "prometheus", "--config.file="+config, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &prometheus{t: t, url: "http://" + address}
	t.Cleanup(func() {
		_ = command.Wait() // the end of the test's context has killed it
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("Prometheus:\n%s", text)
		}
	})
	p.eventually("Prometheus is ready", 30*time.Second, func() string {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+"/-/ready", nil)
		if err != nil {
			return err.Error()
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return err.Error()
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return resp.Status
		}
		return ""
	})
	return p
}

// eventually waits until problem finds none.
func (p *prometheus) eventually(what string, patience time.Duration, problem func() string) {
	p.t.Helper()
	poll := time.NewTicker(250 * time.Millisecond)
	defer poll.Stop()
	last := ""
	for end := time.Now().Add(patience); time.Now().Before(end); <-poll.C {
		if last = problem(); last == "" {
			return
		}
	}
	p.t.Fatalf("%s: not within %v: %s", what, patience, last)
}

// get reads the data of an API answer into out.
func (p *prometheus) get(path string, query url.Values, out any) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var answer struct {
		Status, Error string
		Data          json.RawMessage
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("%s: %w", body, err)
	}
	if answer.Status != "success" {
		return fmt.Errorf("%s", answer.Error)
	}
	return json.Unmarshal(answer.Data, out)
}

// sample is one series of an instant query.
type sample struct {
	Metric map[string]string
	Value  [2]any
}

// query gives the series that have a number now.
func (p *prometheus) query(expr string) (found []sample, err error) {
	var data struct{ Result []sample }
	if err := p.get("/api/v1/query", url.Values{"query": {expr}}, &data); err != nil {
		return nil, err
	}
	for _, s := range data.Result {
		if s.Value[1] != "NaN" {
			found = append(found, s)
		}
	}
	return found, nil
}

// firing are the alerts that fire, as name and the labels that tell them apart.
func (p *prometheus) firing() (map[string]bool, error) {
	var data struct {
		Alerts []struct {
			Labels map[string]string
			State  string
		}
	}
	if err := p.get("/api/v1/alerts", nil, &data); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, a := range data.Alerts {
		if a.State == "firing" {
			name := []string{a.Labels["alertname"]}
			for _, label := range []string{"route", "limit", "reason"} {
				if v := a.Labels[label]; v != "" {
					name = append(name, v)
				}
			}
			found[strings.Join(name, " ")] = true
		}
	}
	return found, nil
}

// fires waits until exactly these alerts fire.
func (p *prometheus) fires(what string, want ...string) {
	p.t.Helper()
	p.eventually(what, 90*time.Second, func() string {
		got, err := p.firing()
		if err != nil {
			return err.Error()
		}
		var wrong []string
		for _, name := range want {
			if !got[name] {
				wrong = append(wrong, "not "+name)
			}
			delete(got, name)
		}
		for name := range got {
			wrong = append(wrong, "also "+name)
		}
		return strings.Join(wrong, ", ")
	})
}
