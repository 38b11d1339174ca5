// Command demo shows the proxy at work on this machine, end to end: a modern MCP server made with the official Go SDK, the
// daemon as a process of its own, and a legacy client made with the same SDK. It prints who said what to whom, checks all of
// it, and exits with status 1 when something is not as it should be.
//
//	go run ./examples/demo
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Stdout); err != nil {
		stop()
		_, _ = fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// patience bounds the conversation, which takes far less.
const patience = 30 * time.Second

// run shows everything. When it returns, nothing of it is left: no process, no file, no connection.
func run(ctx context.Context, out io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "mrtr-proxy-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if removed := os.RemoveAll(dir); err == nil {
			err = removed
		}
	}()
	program, err := build(ctx, dir)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	t := &transcript{out: out}
	t.title()
	server, err := startServer(t)
	if err != nil {
		return err
	}
	defer server.stop()
	proxy, err := startDaemon(ctx, program, dir, server.url)
	if err != nil {
		return err
	}
	defer proxy.kill()
	t.configuration(proxy.configuration)

	withoutProxy(ctx, t, server)
	if err := converse(ctx, t, server, proxy); err != nil {
		return err
	}
	showMetrics(ctx, t, proxy)
	t.check(proxy.stop() == nil, "told to stop, the proxy ends with status 0")
	return t.verdict()
}
