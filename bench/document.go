package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// The parts of the document that do not change.
const (
	documentHead = `# Benchmarks

What the proxy costs, beside a bare ` + "`net/http/httputil.ReverseProxy`" + ` that does nothing but pass on, and beside a bridge made of the official Go SDK on both sides. ` + "`make bench`" + ` measures it anew.

`
	documentTail = `
## How to read it

- **gate** is what must hold, **aim** what is wanted; the verdict is the better one that was reached.
- CPU is that of the one process, from ` + "`/proc`" + `, in proportion to its calls. A legacy client calls the proxy and the naive bridge; a modern client makes the same calls through the reverse proxy, and does the rounds of an ask itself.
- In each round every work is done once, by proxy, reverse proxy and naive bridge in turn, on the same stub server. Ratios are taken within a round: they hold where absolute figures do not. All parties, the generator too, share the machine, which brings ratios of throughput closer to 1.
- Memory is resident memory of the process after a few seconds of rest, without a forced collection. A parked round trip waits for its client's answer on an open event stream.
- Ten times as much of something may cost ten times as much. A ratio of 10.5, and 5 bytes a session, are within the noise. For parked round trips it is what each of the last 6,000 of 8,000 costs, beside each of the 1,500 before them, in the middle one of three daemons.
`
)

// write writes the document.
func (r *report) write(file string) error {
	var b bytes.Buffer
	b.WriteString(documentHead)
	fmt.Fprintf(&b, "Measured on %s: %s, %d processors, %s, %s%s.\n\n", r.began.UTC().Format("2006-01-02"), processor(), runtime.NumCPU(), system(), runtime.Version(), revision())
	r.table(&b)
	r.notes(&b)
	b.WriteString(documentTail)
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// processor is the model's name.
func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for line := range bytes.Lines(b) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && string(bytes.TrimSpace(name)) == "model name" {
			return string(bytes.TrimSpace(value))
		}
	}
	return runtime.GOARCH
}

func system() string {
	b, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	return "Linux " + string(bytes.TrimSpace(b))
}

// revision is the commit that this program, and with it the daemon, was built from.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return ", at " + s.Value[:min(12, len(s.Value))]
		}
	}
	return ""
}
