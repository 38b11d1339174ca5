package daemon

import (
	"context"
	"errors"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServesBothListeners(t *testing.T) {
	w := start(t, oneRoute)
	if status, body := w.get(t, "GET", "http://"+w.Addr().String()+"/"); status != 200 || body != "served" {
		t.Errorf("traffic: HTTP %d %s", status, body)
	}
	if status, _ := w.get(t, "GET", "/-/ready"); status != 200 {
		t.Errorf("ready: HTTP %d", status)
	}
	if line := w.metric(t, "mrtr_proxy_build_info"); !strings.Contains(line, `version="v0"`) || !strings.Contains(line, `revision="r0"`) {
		t.Errorf("build_info: %s", line)
	}
	if line := w.metric(t, "mrtr_proxy_config_last_reload_successful"); !strings.HasSuffix(line, " 1") {
		t.Errorf("after the start: %s", line)
	}
	if w.metric(t, "go_goroutines") == "" || w.metric(t, "process_open_fds") == "" {
		t.Error("no metrics of the process itself")
	}
	if !strings.Contains(w.log.String(), w.Addr().String()) {
		t.Errorf("the log does not say where: %s", w.log)
	}
}

func TestNotReadyBeforeTheStart(t *testing.T) {
	w := &world{traffic: newFake(), log: &output{}, yaml: base + oneRoute}
	d, err := New(w.options())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stop(cancelled())
	if err := d.ready(); err == nil {
		t.Error("ready before it serves")
	}
}

func TestNewRefuses(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, tc := range map[string]struct {
		yaml    string
		traffic *fake
		is      func(error) bool
		calls   string
	}{
		"a bad file": {base, newFake(), func(err error) bool {
			var problems config.Problems
			return errors.As(err, &problems) && problems[0].Field == "routes"
		}, ""},
		"what cannot be built": {base + oneRoute, nil, func(err error) bool { return err.Error() == "cannot build" }, ""},
		"a taken address": {"listen: " + taken.Addr().String() + "\n" + oneRoute, newFake(),
			func(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }, "begin:/one close"},
		"a taken admin address": {"listen: 127.0.0.1:0\nadmin: {listen: '" + taken.Addr().String() + "'}\n" + oneRoute, newFake(),
			func(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }, "begin:/one close"},
	} {
		w := &world{traffic: tc.traffic, log: &output{}, yaml: tc.yaml}
		if _, err := New(w.options()); err == nil || !tc.is(err) {
			t.Errorf("%s: %v", name, err)
		}
		if tc.traffic != nil && tc.traffic.noted() != tc.calls {
			t.Errorf("%s: traffic saw %q, want %q", name, tc.traffic.noted(), tc.calls)
		}
	}
}

// What is built by the proxy itself drains and closes as the fakes do.
func TestRealTraffic(t *testing.T) {
	w := &world{log: &output{}, yaml: base + oneRoute}
	o := w.options()
	o.Build = nil
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.Daemon = d
	d.Start()
	if status, _ := w.get(t, "GET", "http://"+d.Addr().String()+"/nowhere"); status != 404 {
		t.Errorf("HTTP %d", status)
	}
	if _, err := d.Reload(context.Background()); err != nil {
		t.Errorf("reload: %v", err)
	}
	begun := time.Now()
	d.Stop(context.Background())
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("an idle proxy took %v to stop", took)
	}
}

func TestABrokenListenerIsTold(t *testing.T) {
	w := start(t, oneRoute)
	_ = w.front.listener.Close()
	if err := <-w.Failed(); err == nil || !strings.Contains(err.Error(), w.Addr().String()) {
		t.Errorf("told %v", err)
	}
}
