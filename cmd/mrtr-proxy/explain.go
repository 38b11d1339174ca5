package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/daemon"
	"github.com/mrtr-proxy/mrtr-proxy/internal/explain"
)

// maxAskBytes bounds what is read of an ask.
const maxAskBytes = 16 << 20

// explainAsk tells which rule answers an ask, why, and with what.
func explainAsk(args []string, s streams) int {
	var o explain.Override
	flags := flag.NewFlagSet("explain", flag.ContinueOnError)
	file := flags.String("config", "", "")
	ask := flags.String("ask", "", "")
	asJSON := flags.Bool("json", false, "")
	flags.StringVar(&o.Route, "route", "", "")
	flags.StringVar(&o.Tool, "tool", "", "")
	flags.StringVar(&o.Prompt, "prompt", "", "")
	flags.StringVar(&o.Resource, "resource", "", "")
	flags.StringVar(&o.Method, "request", "", "")
	flags.StringVar(&o.Args, "args", "", "")
	flags.StringVar(&o.Client, "client", "", "")
	flags.StringVar(&o.Capabilities, "capabilities", "", "")
	if status, done := parse(flags, args, s); done {
		return status
	}
	if *file == "" || *ask == "" {
		return misused(s, "explain: --config or --ask is missing")
	}
	if err := explain.New().Override(o); err != nil {
		return misused(s, "explain: "+err.Error())
	}
	sources := daemon.NewSources()
	defer sources.Close()
	cfg, problems := config.Load(*file, sources.ConfigOptions())
	if len(problems) > 0 {
		_, _ = fmt.Fprintln(s.err, problems)
		return exitFailed
	}
	report, err := reportOn(cfg, *ask, o, s)
	if err == nil && *asJSON {
		err = report.WriteJSON(s.out)
	} else if err == nil {
		err = report.WriteText(s.out)
	}
	if err != nil {
		_, _ = fmt.Fprintf(s.err, "explain: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// reportOn explains the ask of a file, or of the input for "-".
func reportOn(cfg *config.Config, name string, o explain.Override, s streams) (*explain.Report, error) {
	document, err := readAsk(name, s)
	if err != nil {
		return nil, err
	}
	q, err := explain.Read(document)
	if err != nil {
		return nil, err
	}
	if err := q.Override(o); err != nil {
		return nil, err
	}
	return explain.Explain(cfg, q)
}

func readAsk(name string, s streams) ([]byte, error) {
	in := s.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close() //nolint:errcheck // only read from
		in = f
	}
	document, err := io.ReadAll(io.LimitReader(in, maxAskBytes+1))
	if err == nil && len(document) > maxAskBytes {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxAskBytes)
	}
	return document, err
}
