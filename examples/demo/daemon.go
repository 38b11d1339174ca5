package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

const source = "github.com/mrtr-proxy/mrtr-proxy/cmd/mrtr-proxy"

// build compiles the daemon into dir, without what a debugger or a release needs of it.
func build(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "mrtr-proxy")
	command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", program, source)
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, output)
	}
	return program, nil
}

// configuration has port 0 for both listeners: the daemon takes free ones, and says so in its log.
const configuration = `listen: 127.0.0.1:0
admin: {listen: "127.0.0.1:0"}
audit: {file: audit.jsonl}
limits: {max_rounds: 3}
routes:
  - path: /mcp
    upstream: {url: "%s"}
    policy:
      rules:
        - name: dry-runs-need-nobody
          match:
            tool: release
            when: has(request.args.dry_run) && request.args.dry_run == true
          accept:
            content: {confirm: true}
            expr: {environment: request.args.environment}
        - name: ask-the-person
          forward: {timeout: 1m}
`

// daemon is a running mrtr-proxy.
type daemon struct {
	configuration string
	auditFile     string
	endpoint      string // for clients
	admin         string // URL of the admin listener
	command       *exec.Cmd
	kill          context.CancelFunc // ends it, and waits
	log           logReader
}

// stopTime is how long the daemon has to end before it is killed.
const stopTime = 5 * time.Second

// startDaemon runs the daemon in front of a server and waits until it serves. kill must be called.
func startDaemon(ctx context.Context, program, dir, upstream string) (*daemon, error) {
	d := &daemon{
		configuration: fmt.Sprintf(configuration, upstream),
		auditFile:     filepath.Join(dir, "audit.jsonl"),
		log:           logReader{serving: make(chan serving, 1)},
	}
	file := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(file, []byte(d.configuration), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	d.command = exec.CommandContext(ctx, program, "serve", "--config", file)
	d.command.Stderr = &d.log
	d.command.Cancel = func() error { return d.command.Process.Signal(syscall.SIGTERM) }
	d.command.WaitDelay = stopTime
	if err := d.command.Start(); err != nil {
		cancel()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = d.command.Wait() // ProcessState tells
	}()
	d.kill = func() {
		cancel()
		<-ended
	}
	select {
	case s := <-d.log.serving:
		d.endpoint, d.admin = "http://"+s.Listen+"/mcp", "http://"+s.Admin
		return d, nil
	case <-ended:
	case <-ctx.Done():
	}
	d.kill()
	return nil, fmt.Errorf("the daemon does not serve:\n%s", d.log.String())
}

// stop has the daemon end as an operator would, and tells whether it did so well.
func (d *daemon) stop() error {
	d.kill()
	if !d.command.ProcessState.Success() {
		return errors.New(d.command.ProcessState.String())
	}
	return nil
}

// serving is the line of the log that says where the daemon listens.
type serving struct {
	Message string `json:"msg"`
	Listen  string `json:"listen"`
	Admin   string `json:"admin"`
}

// logReader takes in the daemon's log.
type logReader struct {
	serving chan serving

	mu   sync.Mutex
	text bytes.Buffer
	read int // bytes of whole lines that have been looked at
}

// Write implements io.Writer.
func (l *logReader) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	for {
		line, _, whole := bytes.Cut(l.text.Bytes()[l.read:], []byte("\n"))
		if !whole {
			return len(p), nil
		}
		l.read += len(line) + 1
		var s serving
		if json.Unmarshal(line, &s) == nil && s.Message == "serving" {
			l.serving <- s
		}
	}
}

// String is the log so far.
func (l *logReader) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
