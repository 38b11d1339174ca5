package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/daemon"
)

// serve runs the proxy until it is told to stop.
func serve(args []string, s streams) int {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	file := flags.String("config", "", "")
	upstream := flags.String("upstream", "", "")
	listen := flags.String("listen", "", "")
	adminListen := flags.String("admin-listen", "", "")
	if status, done := parse(flags, args, s); done {
		return status
	}
	if (*file == "") == (*upstream == "") {
		return misused(s, "serve: want one of --config and --upstream")
	}
	load := func(o config.Options) (*config.Config, config.Problems) {
		o.Listen, o.AdminListen = *listen, *adminListen
		if *upstream != "" {
			return config.ForUpstream(*upstream, o)
		}
		return config.Load(*file, o)
	}
	// From here on, so that a SIGHUP while things are being built does not end the process.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	defer signal.Stop(signals)
	defer daemon.RelaxCollector(os.Getenv)()
	b := build()
	d, err := daemon.New(daemon.Options{Load: load, Version: b.version, Revision: b.revision, Supervisor: daemon.SupervisorOf(os.Getenv, os.Getpid())})
	if err != nil {
		_, _ = fmt.Fprintln(s.err, err)
		return exitFailed
	}
	return attend(d, signals, s)
}

// attend runs a daemon and does what signals say: SIGHUP reloads, SIGTERM and SIGINT stop, and a second one of these cuts
// the draining short.
func attend(d *daemon.Daemon, signals <-chan os.Signal, s streams) int {
	d.Start()
	for {
		select {
		case err := <-d.Failed():
			_, _ = fmt.Fprintln(s.err, err)
			d.Stop(context.Background())
			return exitFailed
		case sig := <-signals:
			if sig == syscall.SIGHUP {
				_, _ = d.Reload(context.Background()) // which logs what it did
				continue
			}
			stop(d, signals)
			return exitDone
		}
	}
}

// stop drains the daemon until it is done or another signal to stop comes.
func stop(d *daemon.Daemon, signals <-chan os.Signal) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Stop(ctx)
	}()
	for {
		select {
		case <-done:
			return
		case sig := <-signals:
			if sig != syscall.SIGHUP {
				cancel()
			}
		}
	}
}
