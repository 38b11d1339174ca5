package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is set by the linker in a release: -X main.release=v1.2.3
var release string

// built says what this program was built from.
type built struct{ version, revision string }

func build() built {
	b := built{version: release}
	info, ok := debug.ReadBuildInfo()
	if ok && b.version == "" {
		b.version = info.Main.Version
	}
	if b.version == "" || b.version == "(devel)" {
		b.version = "devel"
	}
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.revision = s.Value
			}
		}
	}
	if b.revision == "" {
		b.revision = "unknown"
	}
	return b
}

// version prints what this is.
func version(args []string, s streams) int {
	if status, done := parse(flag.NewFlagSet("version", flag.ContinueOnError), args, s); done {
		return status
	}
	b := build()
	_, _ = fmt.Fprintf(s.out, "mrtr-proxy %s, revision %s, %s, %s/%s\n", b.version, b.revision, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return exitDone
}
