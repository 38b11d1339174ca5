// Package process runs the parties of a benchmark as processes of their own, and reads
// from /proc what they cost.
package process

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Process is a child. It ends when its standard input closes, by a signal, and at the
// latest with the process that started it.
type Process struct {
	PID int
	// Address is where it listens, empty when it does not say.
	Address string

	command *exec.Cmd
	stdin   io.Closer
	exited  chan struct{}
}

// grace is how long a child may take to end before it is killed.
const grace = 5 * time.Second

// Start runs a program that keeps running. What it has to say goes to log.
func Start(log io.Writer, path string, args ...string) (*Process, error) {
	p, err := prepare(log, path, args)
	if err != nil {
		return nil, err
	}
	p.command.Stdout = log
	return p, p.start()
}

// StartSelf runs this program again in another role, which says in its first line
// where it listens.
func StartSelf(log io.Writer, args ...string) (*Process, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := prepare(log, path, args)
	if err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.Stop()
		return nil, fmt.Errorf("%s did not start: %w", strings.Join(args, " "), err)
	}
	p.Address = strings.TrimSpace(line)
	return p, nil
}

func prepare(log io.Writer, path string, args []string) (p *Process, err error) {
	// No context ends a process: Stop does, and lets it end by itself.
	p = &Process{command: exec.CommandContext(context.Background(), path, args...), exited: make(chan struct{})}
	p.command.Stderr = log
	p.command.SysProcAttr = endWithParent()
	p.stdin, err = p.command.StdinPipe()
	return p, err
}

func (p *Process) start() error {
	if err := p.command.Start(); err != nil {
		return err
	}
	p.PID = p.command.Process.Pid
	go func() {
		defer close(p.exited)
		_, _ = p.command.Process.Wait() // Cmd.Wait would close a pipe that is still read
	}()
	return nil
}

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Stop ends the process and waits for it.
func (p *Process) Stop() {
	_ = p.stdin.Close()
	_ = p.command.Process.Signal(os.Interrupt)
	select {
	case <-p.exited:
	case <-time.After(grace):
		_ = p.command.Process.Kill()
		<-p.exited
	}
}

// RunSelf runs this program in another role to its end, with input, and returns what
// it wrote.
func RunSelf(ctx context.Context, log io.Writer, input []byte, args ...string) ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, path, args...)
	command.Stdin, command.Stderr = bytes.NewReader(input), log
	command.SysProcAttr = endWithParent()
	return command.Output()
}
