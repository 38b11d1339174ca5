package main

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

// called runs a command line and gives its exit status and what it wrote.
func called(args ...string) (status int, out, problems string) {
	var o, e bytes.Buffer
	status = run(args, streams{nil, &o, &e})
	return status, o.String(), e.String()
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const oneRoute = "routes: [{upstream: {url: 'http://127.0.0.1:9/mcp'}}]\n"

func TestMisused(t *testing.T) {
	for _, tc := range []struct {
		args []string
		says string
	}{
		{nil, "a command is missing"},
		{[]string{"nonsense"}, `unknown command "nonsense"`},
		{[]string{"serve"}, "want one of --config and --upstream"},
		{[]string{"serve", "--config", "x", "--upstream", "http://a.example"}, "want one of --config and --upstream"},
		{[]string{"serve", "--nonsense"}, "-nonsense"},
		{[]string{"serve", "--upstream", "http://a.example", "extra"}, `unexpected argument "extra"`},
		{[]string{"check"}, "--config is missing"},
		{[]string{"healthcheck", "--admin", "nowhere"}, `"nowhere" is no host:port`},
		{[]string{"version", "now"}, `unexpected argument "now"`},
	} {
		status, out, problems := called(tc.args...)
		if status != 2 || out != "" || !strings.Contains(problems, tc.says) || !strings.Contains(problems, "Usage:") {
			t.Errorf("%q: exit %d, %s%s", tc.args, status, out, problems)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}, {"serve", "--help"}, {"check", "-h"}} {
		if status, out, problems := called(args...); status != 0 || out != usage || problems != "" {
			t.Errorf("%q: exit %d, %s%s", args, status, out, problems)
		}
	}
}

// The usage names the addresses that are the defaults, and every flag that there is.
func TestUsageIsRight(t *testing.T) {
	for _, word := range []string{config.Default().Listen + config.DefaultRoute().Path, config.Default().Admin.Listen, "--config", "--upstream", "--listen", "--admin-listen", "--admin"} {
		if !strings.Contains(usage, word) {
			t.Errorf("%s is not in the usage", word)
		}
	}
}

func TestVersion(t *testing.T) {
	if status, out, _ := called("version"); status != 0 || !strings.HasPrefix(out, "mrtr-proxy ") || strings.Count(out, "\n") != 1 {
		t.Errorf("exit %d, %s", status, out)
	}
}

func TestCheck(t *testing.T) {
	good := write(t, oneRoute)
	if status, out, _ := called("check", "--config", good); status != 0 || out != good+" is good\n" {
		t.Errorf("a good file: exit %d, %s", status, out)
	}
	bad := write(t, oneRoute+"colour: red\nlimits: [1]\n")
	if status, out, _ := called("check", "--config", bad); status != 1 || out != bad+":2: colour: unknown key\n"+bad+":3: limits: is a list, want a mapping\n" {
		t.Errorf("a bad file: exit %d, %s", status, out)
	}
	odd := write(t, oneRoute+"policy: {rules: [{name: all, decline: }, {name: never, cancel: }]}\n")
	if status, out, _ := called("check", "--config", odd); status != 0 || !strings.HasPrefix(out, "warning: "+odd+":2: policy.rules[1]: never decides") {
		t.Errorf("an odd file: exit %d, %s", status, out)
	}
	if status, out, _ := called("check", "--config", "/nowhere.yaml"); status != 1 || out != "/nowhere.yaml: no such file or directory\n" {
		t.Errorf("no file: exit %d, %s", status, out)
	}
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(strings.Repeat("ab", 32)+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	open := write(t, oneRoute+"session: {key_file: "+keys+"}\n")
	if status, out, _ := called("check", "--config", open); status != 1 || !strings.Contains(out, ":2: session.key_file: ") {
		t.Errorf("a key file that others can read: exit %d, %s", status, out)
	}
}

func TestServeRefusesABadFile(t *testing.T) {
	bad := write(t, oneRoute+"colour: red\n")
	if status, _, problems := called("serve", "--config", bad); status != 1 || problems != bad+":2: colour: unknown key\n" {
		t.Errorf("exit %d, %s", status, problems)
	}
	if status, _, problems := called("serve", "--upstream", "nowhere"); status != 1 || problems != "--upstream: routes[0].upstream.url: is no http or https URL\n" {
		t.Errorf("exit %d, %s", status, problems)
	}
}

func TestHealthcheck(t *testing.T) {
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/-/healthy" || !strings.HasPrefix(r.Host, "127.0.0.1:") {
			t.Errorf("asked for %s of %s", r.URL.Path, r.Host)
		}
		w.WriteHeader(status)
	}))
	defer srv.Close()
	_, port, err := net.SplitHostPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, admin := range []string{"127.0.0.1:" + port, ":" + port, "0.0.0.0:" + port, "[::]:" + port} {
		if got, _, problems := called("healthcheck", "--admin", admin); got != 0 {
			t.Errorf("%s: exit %d, %s", admin, got, problems)
		}
	}
	status = http.StatusForbidden
	if got, _, problems := called("healthcheck", "--admin", "127.0.0.1:"+port); got != 1 || !strings.Contains(problems, "403") {
		t.Errorf("exit %d, %s", got, problems)
	}
	srv.Close()
	if got, _, _ := called("healthcheck", "--admin", "127.0.0.1:"+port); got != 1 {
		t.Errorf("nobody there: exit %d", got)
	}
}

// A whole life: served, reloaded by SIGHUP, stopped by SIGTERM.
func TestServeUntilItIsTold(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	admin := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan string, 1)
	go func() {
		status, _, problems := called("serve", "--upstream", "http://127.0.0.1:9/mcp", "--listen", "127.0.0.1:0", "--admin-listen", admin)
		ended <- fmt.Sprint(status, problems)
	}()
	for status := exitFailed; status != exitDone; {
		select {
		case end := <-ended:
			t.Fatalf("ended at the start: %s", end)
		default:
			status, _, _ = called("healthcheck", "--admin", admin)
		}
	}
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := syscall.Kill(os.Getpid(), s); err != nil {
			t.Fatal(err)
		}
	}
	if end := <-ended; end != "0" {
		t.Errorf("exit %s", end)
	}
}
