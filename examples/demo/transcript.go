package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// Those who speak.
const (
	theClient = "client"
	theProxy  = "proxy"
	theServer = "server"
)

// transcript prints who says what to whom, and counts what is checked. It is safe for concurrent use.
type transcript struct {
	mu             sync.Mutex
	out            io.Writer
	checks, failed int
}

func (t *transcript) print(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = fmt.Fprintf(t.out, format, args...)
}

func (t *transcript) title() {
	t.print(`A legacy MCP client uses a modern MCP server, through mrtr-proxy

   client   speaks revision %s: it opens a session with a handshake, and is asked things by requests of the server
   server   speaks revision %s only: where it needs input it answers "input_required", and wants the call again with answers
   proxy    stands between them
`, legacyRevision, modernRevision)
}

// configuration shows the file that the daemon runs with.
func (t *transcript) configuration(yaml string) {
	t.print("\nThe proxy runs as \"mrtr-proxy serve --config FILE\" with this file:\n\n")
	for line := range strings.Lines(yaml) {
		t.print("    %s", line)
	}
}

// scene begins a part of the conversation.
func (t *transcript) scene(title, about string) {
	t.print("\n━━ %s\n   %s\n\n", title, about)
}

// says is one message.
func (t *transcript) says(from, to, format string, args ...any) {
	t.print("   %-6s → %-6s  %s\n", from, to, fmt.Sprintf(format, args...))
}

// note is something about the messages above it.
func (t *transcript) note(label, format string, args ...any) {
	t.print("   %-15s  %s\n", label, fmt.Sprintf(format, args...))
}

// check says whether something is as it should be.
func (t *transcript) check(ok bool, format string, args ...any) {
	mark := "✓"
	t.mu.Lock()
	t.checks++
	if !ok {
		t.failed++
		mark = "✗ NOT TRUE:"
	}
	t.mu.Unlock()
	t.print("   %s %s\n", mark, fmt.Sprintf(format, args...))
}

// verdict sums up; it is an error when a check failed.
func (t *transcript) verdict() error {
	t.mu.Lock()
	checks, failed := t.checks, t.failed
	t.mu.Unlock()
	if failed > 0 {
		return fmt.Errorf("%d of %d checks failed", failed, checks)
	}
	t.print("\nAll %d checks passed.\n", checks)
	return nil
}
