package main

import (
	"flag"
	"fmt"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/daemon"
)

// check prints every problem of a configuration.
func check(args []string, s streams) int {
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	file := flags.String("config", "", "")
	if status, done := parse(flags, args, s); done {
		return status
	}
	if *file == "" {
		return misused(s, "check: --config is missing")
	}
	sources := daemon.NewSources()
	defer sources.Close()
	cfg, problems := config.Load(*file, sources.ConfigOptions())
	if len(problems) > 0 {
		_, _ = fmt.Fprintln(s.out, problems)
		return exitFailed
	}
	for _, w := range cfg.Warnings {
		_, _ = fmt.Fprintln(s.out, "warning:", w)
	}
	_, _ = fmt.Fprintf(s.out, "%s is good\n", *file)
	return exitDone
}
