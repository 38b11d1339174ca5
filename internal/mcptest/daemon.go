package mcptest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopGrace is how long a daemon may take to stop at the end of its test,
// where an exchange that the test left open can keep it.
const stopGrace = 2 * time.Second

// Daemon is a running `mrtr-proxy serve`.
type Daemon struct {
	t             testing.TB
	traffic, ops  string // host:port of the listeners
	config        string // path of the configuration file
	command       *exec.Cmd
	log           logBuffer
	exited        chan struct{}
	secrets       []string
	http          *http.Client
	Configuration string // the YAML it was started with, listeners included
}

// OneRoute is a configuration with the route /mcp to an upstream. top is YAML
// of the top level, route YAML of the route beside its path; both may be "",
// and route may have an upstream of its own.
func OneRoute(upstream, top, route string) string {
	var b strings.Builder
	if top = strings.TrimSpace(top); top != "" {
		b.WriteString(top + "\n")
	}
	b.WriteString("routes:\n  - path: /mcp\n")
	if !strings.Contains("\n"+route, "\nupstream:") {
		fmt.Fprintf(&b, "    upstream: {url: %q}\n", upstream)
	}
	for line := range strings.Lines(strings.Trim(route, "\n")) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	return b.String()
}

// Start runs the daemon on a configuration without listeners: Start adds them,
// on free loopback ports. It waits until the daemon is ready, and stops it when
// the test ends. A data race or a panic in its log fails the test.
func (p *Program) Start(t testing.TB, yaml string) *Daemon {
	t.Helper()
	const tries = 5 // somebody may take a port between the choice and the start
	for range tries {
		d := p.launch(t, yaml)
		if d.awaitReady() {
			return d
		}
		if !strings.Contains(d.Log(), "address already in use") {
			t.Fatalf("the daemon ended at its start: %v", d.command.ProcessState)
		}
	}
	t.Fatalf("no free ports in %d tries", tries)
	return nil
}

func (p *Program) launch(t testing.TB, yaml string) *Daemon {
	t.Helper()
	d := &Daemon{
		t: t, traffic: p.freeAddress(t), ops: p.freeAddress(t), exited: make(chan struct{}),
		config: filepath.Join(t.TempDir(), "config.yaml"), http: &http.Client{Timeout: Patience},
	}
	d.Configuration = d.withListeners(yaml)
	if err := os.WriteFile(d.config, []byte(d.Configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	// Not the test's context, which is over before cleanUp looks how the daemon stops.
	d.command = exec.CommandContext(context.Background(), p.Path(t), "serve", "--config", d.config)
	d.command.Stdout, d.command.Stderr = &d.log, &d.log
	d.command.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=20") // not a second for every stop
	if err := d.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(d.exited)
		_ = d.command.Wait() // the status is in ProcessState
	}()
	t.Cleanup(d.cleanUp)
	return d
}

func (d *Daemon) withListeners(yaml string) string {
	return fmt.Sprintf("listen: %s\nadmin: {listen: %q}\n%s", d.traffic, d.ops, yaml)
}

// freeAddress is a loopback address that nothing listens on and no daemon was given.
func (p *Program) freeAddress(t testing.TB) string {
	t.Helper()
	for {
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := l.Addr().String()
		_ = l.Close() // nothing was accepted
		if _, given := p.addresses.LoadOrStore(address, true); !given {
			return address
		}
	}
}

// awaitReady reports false when the daemon ends before it is ready.
func (d *Daemon) awaitReady() bool {
	d.t.Helper()
	poll := time.NewTicker(5 * time.Millisecond)
	defer poll.Stop()
	for end := time.Now().Add(Patience); time.Now().Before(end); {
		select {
		case <-d.exited:
			return false
		case <-poll.C:
		}
		if status, _ := d.admin(http.MethodGet, "/-/ready"); status == http.StatusOK {
			return true
		}
	}
	d.t.Fatalf("the daemon is not ready after %v", Patience)
	return false
}

// URL is the address of the traffic listener without a path.
func (d *Daemon) URL() string { return "http://" + d.traffic }

// Endpoint is the MCP endpoint of [OneRoute].
func (d *Daemon) Endpoint() string { return d.URL() + "/mcp" }

// AdminURL is the address of the admin listener without a path.
func (d *Daemon) AdminURL() string { return "http://" + d.ops }

// Admin sends a request to the admin listener and returns status and body.
func (d *Daemon) Admin(method, path string) (int, string) {
	d.t.Helper()
	status, body := d.admin(method, path)
	if status == 0 {
		d.t.Fatalf("admin listener: %s", body)
	}
	return status, body
}

// admin returns status 0, and why, when nobody answers.
func (d *Daemon) admin(method, path string) (int, string) {
	request, err := http.NewRequestWithContext(context.Background(), method, d.AdminURL()+path, nil)
	if err != nil {
		return 0, err.Error()
	}
	response, err := d.http.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(body)
}

// Reload replaces the configuration, listeners aside, and asks for a reload
// over HTTP. It returns the status and the body.
func (d *Daemon) Reload(yaml string) (int, string) {
	d.t.Helper()
	d.WriteConfig(yaml)
	return d.Admin(http.MethodPost, "/-/reload")
}

// WriteConfig replaces the configuration file, listeners aside, and leaves the
// reload to a signal.
func (d *Daemon) WriteConfig(yaml string) {
	d.t.Helper()
	if err := os.WriteFile(d.config, []byte(d.withListeners(yaml)), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// Signal sends a signal to the process.
func (d *Daemon) Signal(s syscall.Signal) {
	d.t.Helper()
	if err := d.command.Process.Signal(s); err != nil {
		d.t.Fatalf("%v: %v", s, err)
	}
}

// AwaitExit waits until the process has ended and returns its status.
func (d *Daemon) AwaitExit() int {
	d.t.Helper()
	select {
	case <-d.exited:
	case <-time.After(Patience):
		d.t.Fatalf("the daemon still runs after %v", Patience)
	}
	return d.command.ProcessState.ExitCode()
}

// Stop sends SIGTERM, waits for the end and returns the status.
func (d *Daemon) Stop() int {
	d.t.Helper()
	d.Signal(syscall.SIGTERM)
	return d.AwaitExit()
}

// Pid is the id of the process.
func (d *Daemon) Pid() int { return d.command.Process.Pid }

// Log is everything the daemon wrote so far.
func (d *Daemon) Log() string { return d.log.String() }

// AwaitLog waits until the log holds a text.
func (d *Daemon) AwaitLog(text string) {
	d.t.Helper()
	if !d.log.await(Patience, func() bool { return bytes.Contains(d.log.text, []byte(text)) }) {
		d.t.Fatalf("the log does not say %q after %v", text, Patience)
	}
}

// NeverLogs fails the test if one of the texts is in the log at its end.
func (d *Daemon) NeverLogs(texts ...string) { d.secrets = append(d.secrets, texts...) }

// Metrics reads the metrics as they are now.
func (d *Daemon) Metrics() Metrics {
	d.t.Helper()
	status, text := d.Admin(http.MethodGet, "/metrics")
	if status != http.StatusOK {
		d.t.Fatalf("/metrics: HTTP %d %s", status, text)
	}
	m, err := ParseMetrics(text)
	if err != nil {
		d.t.Fatalf("/metrics: %v", err)
	}
	return m
}

// AwaitMetric waits until the sum of a metric over the samples with the given
// labels (name, value, name, value…) is want.
func (d *Daemon) AwaitMetric(want float64, name string, labels ...string) {
	d.t.Helper()
	var got float64
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for end := time.Now().Add(Patience); time.Now().Before(end); <-poll.C {
		if got = d.Metrics().Sum(name, labels...); got == want {
			return
		}
	}
	d.t.Fatalf("%s%v is %v after %v, want %v", name, labels, got, Patience, want)
}

func (d *Daemon) cleanUp() {
	d.http.CloseIdleConnections()
	_ = d.command.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-d.exited:
	case <-time.After(stopGrace):
		_ = d.command.Process.Kill()
		<-d.exited
	}
	log := d.Log()
	if trouble := troubleIn(log); trouble != "" {
		d.t.Errorf("%q in the log of the daemon", trouble)
	}
	for _, secret := range d.secrets {
		if strings.Contains(log, secret) {
			d.t.Errorf("%q is in the log of the daemon", secret)
		}
	}
	if d.t.Failed() {
		d.t.Logf("configuration:\n%s\nlog:\n%s", d.Configuration, end(log))
	}
}

// troubleIn returns the sign of a data race or a panic in a log, "" for none.
func troubleIn(log string) string {
	for _, sign := range []string{"WARNING: DATA RACE", "panic:", "runtime error:", "fatal error:"} {
		if strings.Contains(log, sign) {
			return sign
		}
	}
	return ""
}

// end is as much of a log as a report should show: of a panic the beginning
// matters, of anything else the end.
func end(log string) string {
	const most = 16 << 10
	if len(log) <= most {
		return log
	}
	if sign := troubleIn(log); sign != "" {
		log = log[strings.Index(log, sign):]
		return "…" + log[:min(len(log), most)]
	}
	return "…" + log[len(log)-most:]
}

// patient is a context that ends with the test or after [Patience].
func patient(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// logBuffer collects what a process writes.
type logBuffer struct {
	watch
	text []byte
}

// Write appends p.
func (b *logBuffer) Write(p []byte) (int, error) {
	b.update(func() { b.text = append(b.text, p...) })
	return len(p), nil
}

// String is everything written so far.
func (b *logBuffer) String() (text string) {
	b.look(func() { text = string(b.text) })
	return text
}
