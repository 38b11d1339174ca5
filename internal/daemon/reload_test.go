package daemon

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestReloadBuildsEverythingAndThenSwaps(t *testing.T) {
	w := start(t, oneRoute)
	w.write(base + strings.ReplaceAll(oneRoute, "/one", "/two") + "log: {level: debug}\nsecurity: {allowed_hosts: [proxy.example]}\n")
	if status, body := w.get(t, "POST", "/-/reload"); status != 200 || body != "reloaded\n" {
		t.Errorf("HTTP %d %s", status, body)
	}
	if got := w.traffic.noted(); got != "begin:/one build:/two swap:/two" {
		t.Errorf("traffic saw %s", got)
	}
	if !w.level.Enabled(-1) {
		t.Error("the level is not taken over")
	}
	if !w.current.Load().config.Security.LoopbackOrigins || len(w.current.Load().config.Security.AllowedHosts) != 1 {
		t.Error("the configuration is not taken over")
	}
}

func TestRefusedReloadChangesNothing(t *testing.T) {
	w := start(t, oneRoute)
	before := w.current.Load()
	w.write(base + oneRoute + "nonsense: true\nlimits: [1]\n")
	status, body := w.get(t, "POST", "/-/reload")
	if status != 422 || body != "c.yaml:4: nonsense: unknown key\nc.yaml:5: limits: is a list, want a mapping\n" {
		t.Errorf("HTTP %d %s", status, body)
	}
	if line := w.metric(t, "mrtr_proxy_config_last_reload_successful"); !strings.HasSuffix(line, " 0") {
		t.Errorf("the metric: %s", line)
	}
	if !strings.Contains(w.log.String(), "nonsense") {
		t.Errorf("the log: %s", w.log)
	}
	w.write(base + oneRoute)
	w.traffic.refuse = errors.New("audit.file: disk full")
	if _, err := w.Reload(context.Background()); err == nil || err.Error() != "audit.file: disk full" {
		t.Errorf("what cannot be built: %v", err)
	}
	if w.current.Load() != before || w.traffic.noted() != "begin:/one" {
		t.Errorf("something was taken over: %s", w.traffic.noted())
	}
	if status, _ := w.get(t, "GET", "/-/ready"); status != 200 {
		t.Errorf("ready: HTTP %d", status)
	}
	w.traffic.refuse = nil
	if _, err := w.Reload(context.Background()); err != nil {
		t.Errorf("a good file after a bad one: %v", err)
	}
	if line := w.metric(t, "mrtr_proxy_config_last_reload_successful"); !strings.HasSuffix(line, " 1") {
		t.Errorf("the metric: %s", line)
	}
}

func TestReloadSaysWhatNeedsARestart(t *testing.T) {
	w := start(t, oneRoute)
	w.write("listen: 127.0.0.1:1\nadmin: {listen: 127.0.0.1:2}\nlog: {format: console}\n" + oneRoute)
	want := "reloaded\nlisten has changed and needs a restart\nadmin.listen has changed and needs a restart\nlog.format has changed and needs a restart\n"
	for range 2 { // it is still so the next time
		if status, body := w.get(t, "POST", "/-/reload"); status != 200 || body != want {
			t.Errorf("HTTP %d %s", status, body)
		}
	}
}

// The admin listener takes its own hosts over too.
func TestReloadChangesTheGuardOfTheAdminListener(t *testing.T) {
	w := start(t, oneRoute)
	before := w.current.Load().guard
	w.write(base + oneRoute + "security: {loopback_origins: false}\n")
	if _, err := w.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	if w.current.Load().guard == before {
		t.Error("the old guard is in force")
	}
}

func TestWarningsAreLogged(t *testing.T) {
	w := start(t, oneRoute+"policy: {rules: [{name: all, decline: }, {name: never, cancel: }]}\n")
	if !strings.Contains(w.log.String(), "never decides") {
		t.Errorf("the log: %s", w.log)
	}
}
