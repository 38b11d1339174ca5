package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestDemo(t *testing.T) {
	out, err := play(t.Context(), t, new(bytes.Buffer))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, line := range []string{
		"server → client  HTTP 404, error -32601: initialize is unknown here",
		"proxy  → server  attempt 2: tools/call release, with the answer to \"confirm\"",
		"client → proxy   decline",
		`_meta            mrtr-proxy/failure: {"kind":"mrtr_round_limit","limit":"max_rounds","rounds":3}`,
		`mrtr_proxy_limit_trips_total{limit="max_rounds",mode="enforce",route="/mcp"} 1`,
	} {
		if !strings.Contains(out, line) {
			t.Errorf("the transcript lacks %q:\n%s", line, out)
		}
	}
}

func TestADemoThatIsInterruptedLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, err := play(ctx, t, &interrupter{at: "Which port", interrupt: cancel})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v\n%s", err, out)
	}
}

// play runs the demo and looks for what it has left behind.
func play(ctx context.Context, t *testing.T, out interface {
	io.Writer
	fmt.Stringer
}) (string, error) {
	if testing.Short() {
		t.Skip("builds the daemon")
	}
	t.Cleanup(func() { goleak.VerifyNone(t) })
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	err := run(ctx, out)
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
	for _, address := range regexp.MustCompile(`127\.0\.0\.1:[1-9][0-9]*`).FindAllString(out.String(), -1) {
		if c, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", address); err == nil {
			_ = c.Close()
			t.Errorf("something still listens on %s", address)
		}
	}
	return out.String(), err
}

// interrupter calls interrupt when a line with at is written.
type interrupter struct {
	bytes.Buffer
	at        string
	interrupt func()
}

func (i *interrupter) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(i.at)) {
		i.interrupt()
	}
	return i.Buffer.Write(p)
}

func TestAFailedCheckFailsTheDemo(t *testing.T) {
	out := &transcript{out: new(bytes.Buffer)}
	out.check(true, "one thing is right")
	if err := out.verdict(); err != nil {
		t.Errorf("nothing failed: %v", err)
	}
	out.check(false, "another is not")
	if err := out.verdict(); err == nil || err.Error() != "1 of 2 checks failed" {
		t.Errorf("verdict %v", err)
	}
}

func TestATamperedRequestStateIsRefused(t *testing.T) {
	s := &server{key: []byte("a key")}
	state := s.seal(draft{Step: "port", Name: "billing"})
	if d, err := s.open(state); err != nil || d.Name != "billing" {
		t.Errorf("open: %v %v", d, err)
	}
	for _, bad := range []string{"", "AAAA", "?", "A" + state[1:], state[:len(state)-2]} {
		if _, err := s.open(bad); err == nil && bad != state {
			t.Errorf("%q was taken", bad)
		}
	}
}
