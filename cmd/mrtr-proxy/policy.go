package main

import (
	"flag"
	"fmt"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/daemon"
	"github.com/mrtr-proxy/mrtr-proxy/internal/explain"
)

// policyCommand runs the sub-commands about policy, of which there is one.
func policyCommand(args []string, s streams) int {
	if len(args) == 0 || args[0] != "test" {
		flags := flag.NewFlagSet("policy", flag.ContinueOnError)
		if status, done := parseFlags(flags, args, s); done {
			return status
		}
		return misused(s, "policy: want policy test FILE...")
	}
	flags := flag.NewFlagSet("policy test", flag.ContinueOnError)
	if status, done := parseFlags(flags, args[1:], s); done {
		return status
	}
	if flags.NArg() == 0 {
		return misused(s, "policy test: a file is missing")
	}
	return policyTest(flags.Args(), s)
}

// policyTest runs the cases of files and prints a table. Problems of a file keep none of the others from running.
func policyTest(files []string, s streams) (status int) {
	sources := daemon.NewSources()
	defer sources.Close()
	var results []explain.Result
	for _, file := range files {
		suite, problems := config.LoadSuite(file, sources.ConfigOptions())
		if len(problems) > 0 {
			_, _ = fmt.Fprintln(s.err, problems)
			status = exitFailed
			continue
		}
		of, err := explain.Run(suite)
		if err != nil {
			_, _ = fmt.Fprintln(s.err, err)
			status = exitFailed
		}
		results = append(results, of...)
	}
	if len(results) == 0 {
		return status
	}
	differ, err := explain.WriteTable(s.out, results)
	if differ > 0 || err != nil {
		status = exitFailed
	}
	return status
}
