package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/bench/load"
	"github.com/mrtr-proxy/mrtr-proxy/bench/process"
)

// field is where the parties meet: the stub upstream, what is compared before it, and a
// generator for each task.
type field struct {
	ctx      context.Context
	settings settings
	dir      string
	program  string // the daemon's
	log      *os.File

	stub, reverse, naive *process.Process
	foreign              []float64 // processors that others took, a measurement each
}

func newField(ctx context.Context, dir string, s settings) (f *field, err error) {
	f = &field{ctx: ctx, settings: s, dir: dir, program: s.program}
	if f.log, err = os.Create(filepath.Join(dir, "peers.log")); err != nil {
		return nil, err
	}
	if f.program == "" {
		f.program = filepath.Join(dir, "mrtr-proxy")
		if err := f.build(); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	if f.stub, err = process.StartSelf(f.log, "stub"); err != nil {
		return nil, err
	}
	if f.reverse, err = process.StartSelf(f.log, "reverse", f.upstream()); err != nil {
		return nil, err
	}
	f.naive, err = process.StartSelf(f.log, "naive", f.upstream())
	return f, err
}

// build builds the daemon as it is released.
func (f *field) build() error {
	command := exec.CommandContext(f.ctx, "go", "build", "-trimpath", "-o", f.program, "github.com/mrtr-proxy/mrtr-proxy/cmd/mrtr-proxy")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("the daemon does not build: %w\n%s", err, out)
	}
	return nil
}

func (f *field) upstream() string { return "http://" + f.stub.Address }

func (f *field) close() {
	for _, p := range []*process.Process{f.naive, f.reverse, f.stub} {
		if p != nil {
			p.Stop()
		}
	}
	_ = f.log.Close()
}

// lastWords is the end of what the parties had to say.
func (f *field) lastWords() []byte {
	var all []byte
	logs, _ := filepath.Glob(filepath.Join(f.dir, "*.log"))
	for _, l := range logs {
		b, _ := os.ReadFile(l)
		all = append(all, b[max(0, len(b)-2000):]...)
	}
	return all
}

// run has a generator do a task.
func (f *field) run(t load.Task) (*load.Outcome, error) {
	in, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	out, err := process.RunSelf(f.ctx, f.log, in, "load")
	if err != nil {
		return nil, errors.Join(f.ctx.Err(), fmt.Errorf("load: %w", err))
	}
	var o load.Outcome
	if err := json.Unmarshal(out, &o); err != nil {
		return nil, err
	}
	if o.Failed > 0 {
		return nil, fmt.Errorf("%d calls of %q failed, the first with: %s", o.Failed, t.Tool+t.Hold, o.Reason)
	}
	f.foreign = append(f.foreign, o.Foreign)
	return &o, nil
}

// daemon is a running mrtr-proxy with its admin listener.
type daemon struct {
	*process.Process
	admin string
}

const startTimeout = 10 * time.Second

// daemon starts a daemon; top is YAML of the top level of its configuration.
func (f *field) daemon(top string) (*daemon, error) {
	config := filepath.Join(f.dir, "config.yaml")
	yaml := fmt.Sprintf(`listen: 127.0.0.1:0
admin: {listen: 127.0.0.1:0}
%s
routes:
  - {path: /mcp, upstream: {url: "%[2]s/mcp"}}
  - {path: /list, upstream: {url: "%[2]s/list"}}
`, top, f.upstream())
	if err := os.WriteFile(config, []byte(yaml), 0o600); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(f.dir, "daemon.log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the child has it
	p, err := process.Start(log, f.program, "serve", "--config", config)
	if err != nil {
		return nil, err
	}
	d := &daemon{Process: p}
	if err := d.await(log.Name()); err != nil {
		d.Stop()
		return nil, err
	}
	return d, nil
}

// await waits until the daemon says in its log where it serves.
func (d *daemon) await(log string) error {
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		b, _ := os.ReadFile(log)
		for line := range bytes.Lines(b) {
			var said struct{ Msg, Listen, Admin string }
			if json.Unmarshal(line, &said) == nil && said.Msg == "serving" {
				d.Address, d.admin = said.Listen, said.Admin
				return nil
			}
		}
		select {
		case <-d.Exited():
			return errors.New("the daemon ended at its start")
		default:
		}
	}
	return errors.New("the daemon does not say where it serves")
}

// profile fetches a profile of the daemon into a file.
func (d *daemon) profile(ctx context.Context, query, file string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.admin+"/debug/pprof/"+query, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}
