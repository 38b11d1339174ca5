// Command mrtr-proxy lets legacy MCP clients use 2026-07-28 servers, and answers or passes on what these ask for.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// Exit statuses.
const (
	exitDone = iota
	exitFailed
	exitUsage
)

const usage = `Usage:

  mrtr-proxy serve --config FILE [--listen ADDR] [--admin-listen ADDR]
  mrtr-proxy serve --upstream URL [--listen ADDR] [--admin-listen ADDR]
        run the proxy: with a configuration, or with one route, /mcp, to a server
  mrtr-proxy check --config FILE
        print every problem of a configuration as file:line: field: problem
  mrtr-proxy explain --config FILE --ask FILE|- [--route PATH] [--tool NAME | --prompt NAME | --resource URI]
        [--request METHOD] [--args JSON] [--client NAME] [--capabilities JSON] [--json]
        tell which rule answers an ask, why, and with what; nobody is asked
  mrtr-proxy policy test FILE...
        run policy tests
  mrtr-proxy healthcheck [--admin ADDR]
        ask a running proxy whether it is healthy
  mrtr-proxy version
        print what this is

Clients connect to http://127.0.0.1:8808/mcp, operators to http://127.0.0.1:8809, unless told otherwise.
Exit status: 0 done, 1 failed, 2 used wrongly.
`

// streams are where a command reads from and writes to.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command runs with the arguments behind its name and gives the exit status.
type command func(args []string, s streams) int

func main() {
	os.Exit(run(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

func run(args []string, s streams) int {
	commands := map[string]command{
		"serve":       serve,
		"check":       check,
		"explain":     explainAsk,
		"policy":      policyCommand,
		"healthcheck": healthcheck,
		"version":     version,
	}
	if len(args) == 0 {
		return misused(s, "a command is missing")
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		_, _ = io.WriteString(s.out, usage)
		return exitDone
	}
	c, ok := commands[args[0]]
	if !ok {
		return misused(s, fmt.Sprintf("unknown command %q", args[0]))
	}
	return c(args[1:], s)
}

// misused says what is wrong with the command line.
func misused(s streams, problem string) int {
	_, _ = fmt.Fprintf(s.err, "mrtr-proxy: %s\n\n%s", problem, usage)
	return exitUsage
}

// parse reads the flags of a command without arguments. done means that there is nothing left to do but to exit with status.
func parse(flags *flag.FlagSet, args []string, s streams) (status int, done bool) {
	status, done = parseFlags(flags, args, s)
	if !done && flags.NArg() > 0 {
		return misused(s, fmt.Sprintf("%s: unexpected argument %q", flags.Name(), flags.Arg(0))), true
	}
	return status, done
}

// parseFlags is parse for a command that takes arguments.
func parseFlags(flags *flag.FlagSet, args []string, s streams) (status int, done bool) {
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, _ = io.WriteString(s.out, usage)
		return exitDone, true
	case err != nil:
		return misused(s, flags.Name()+": "+err.Error()), true
	}
	return exitDone, false
}
