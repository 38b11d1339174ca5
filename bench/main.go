// Command bench measures the built daemon against a bare reverse proxy and against a
// bridge made of the official SDK, and judges what it found by the project's gates.
//
//	go run ./bench                     a table on standard output, in some minutes
//	go run ./bench -o docs/benchmarks.md
//	go run ./bench -quick              does it all work? The figures mean little
//	go run ./bench -only ask -profile /tmp/profiles
//
// Everything runs on loopback, each party as a process of its own. What is compared is
// measured in turns, and ratios are taken within a turn: absolute figures depend on the
// machine and on what else it does, ratios hardly do.
package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/bench/load"
	"github.com/mrtr-proxy/mrtr-proxy/bench/peer"
	"github.com/mrtr-proxy/mrtr-proxy/bench/process"
)

func main() {
	if len(os.Args) > 1 {
		if known, err := role(os.Args[1], os.Args[2:]); known {
			exit(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	exit(bench(ctx))
}

func exit(err error) {
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// role is what this program is when it was started by itself.
func role(name string, args []string) (known bool, err error) {
	to := ""
	if len(args) > 0 {
		to = args[0]
	}
	switch name {
	case "stub":
		return true, peer.Serve(peer.NewStub())
	case "reverse":
		h, err := peer.Reverse(to)
		return true, serve(h, err)
	case "naive":
		h, err := peer.Naive(context.Background(), to+"/mcp")
		return true, serve(h, err)
	case "load":
		return true, load.Run(os.Stdin, os.Stdout)
	}
	return false, nil
}

func serve(h http.Handler, err error) error {
	if err != nil {
		return err
	}
	return peer.Serve(h)
}

// settings are the flags.
type settings struct {
	quick   bool
	strict  bool
	rounds  int
	turn    time.Duration
	only    *regexp.Regexp
	program string
	out     string
	profile string
}

func flags() (s settings, err error) {
	only := ""
	flag.BoolVar(&s.quick, "quick", false, "a check that everything works, in less than a minute; the figures mean little")
	flag.BoolVar(&s.strict, "strict", false, "fail when a gate is missed")
	flag.IntVar(&s.rounds, "rounds", 9, "rounds in which what is compared takes turns")
	flag.DurationVar(&s.turn, "turn", time.Second, "length of a turn")
	flag.StringVar(&only, "only", "", "only works whose name this regular expression matches")
	flag.StringVar(&s.program, "program", "", "the daemon to measure; empty: build it")
	flag.StringVar(&s.out, "o", "", "write the report to this file too")
	flag.StringVar(&s.profile, "profile", "", "write CPU and heap profiles of the daemon under each work to this directory; they cost memory that is counted")
	flag.Parse()
	if s.quick {
		s.rounds, s.turn = 1, 200*time.Millisecond
	}
	if s.profile != "" {
		if err := os.MkdirAll(s.profile, 0o755); err != nil {
			return s, err
		}
	}
	s.only, err = regexp.Compile(only)
	return s, err
}

func bench(ctx context.Context) error {
	s, err := flags()
	if err != nil {
		return err
	}
	if err := process.Available(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mrtr-proxy-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	f, err := newField(ctx, dir, s)
	if err != nil {
		return err
	}
	defer f.close()
	r, err := f.measure()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, f.lastWords())
	}
	return r.publish(s)
}
