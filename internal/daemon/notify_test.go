package daemon

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// supervised starts a daemon with a supervisor that listens, and returns what it is told.
func supervised(t *testing.T, watchdog time.Duration) (*world, func() string) {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	w := &world{traffic: newFake(), log: &output{}, yaml: base + oneRoute}
	close(w.traffic.release)
	o := w.options()
	o.Supervisor = Supervisor{Socket: socket, Watchdog: watchdog}
	if w.Daemon, err = New(o); err != nil {
		t.Fatal(err)
	}
	return w, func() string {
		t.Helper()
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		b := make([]byte, 1024)
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := strings.Cut(string(b[:n]), "\n")
		return first
	}
}

func TestTheSupervisorIsTold(t *testing.T) {
	w, told := supervised(t, 0)
	w.Start()
	if got := told(); got != "READY=1" {
		t.Errorf("at the start: %s", got)
	}
	if _, err := w.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	if begin, end := told(), told(); begin != "RELOADING=1" || end != "READY=1" {
		t.Errorf("at a reload: %s, %s", begin, end)
	}
	w.write("routes: 1\n")
	if _, err := w.Reload(context.Background()); err == nil {
		t.Fatal("a bad file is taken")
	}
	if begin, end := told(), told(); begin != "RELOADING=1" || end != "READY=1" {
		t.Errorf("at a reload that fails: %s, %s", begin, end)
	}
	w.Stop(context.Background())
	if got := told(); got != "STOPPING=1" {
		t.Errorf("at the end: %s", got)
	}
}

func TestSignsOfLife(t *testing.T) {
	w, told := supervised(t, 60*time.Millisecond)
	w.Start()
	defer w.Stop(context.Background())
	for _, want := range []string{"READY=1", stateAlive, stateAlive} {
		if got := told(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	_ = w.back.listener.Close()
	if err := w.alive(time.Second); err == nil {
		t.Error("alive without an admin listener")
	}
}

func TestASupervisorThatIsGoneStopsNothing(t *testing.T) {
	w := &world{traffic: newFake(), log: &output{}, yaml: base + oneRoute}
	close(w.traffic.release)
	o := w.options()
	o.Supervisor.Socket = filepath.Join(t.TempDir(), "none")
	d, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	d.Start()
	d.Stop(context.Background())
	if !strings.Contains(w.log.String(), "cannot be told") {
		t.Errorf("the log does not say so: %s", w.log)
	}
}

func TestSupervisorOfTheEnvironment(t *testing.T) {
	for name, tc := range map[string]struct {
		env  map[string]string
		want Supervisor
	}{
		"none":               {nil, Supervisor{}},
		"without a watchdog": {map[string]string{"NOTIFY_SOCKET": "@x"}, Supervisor{Socket: "@x"}},
		"with one":           {map[string]string{"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, Supervisor{"/x", 30 * time.Second}},
		"of any process":     {map[string]string{"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1000"}, Supervisor{"/x", time.Millisecond}},
		"of another process": {map[string]string{"NOTIFY_SOCKET": "/x", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "8"}, Supervisor{Socket: "/x"}},
		"nonsense":           {map[string]string{"WATCHDOG_USEC": "soon"}, Supervisor{}},
	} {
		if got := SupervisorOf(func(key string) string { return tc.env[key] }, 7); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
