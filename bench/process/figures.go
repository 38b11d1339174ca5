package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Available tells whether this system has what figures are read from.
func Available() error {
	if _, ok := rss(os.Getpid()); !ok || CPU(os.Getpid()) == 0 {
		return errors.New("this system has no /proc with smaps_rollup and schedstat, which Linux has")
	}
	return nil
}

// CPU is the processor time that a process has used. It sums the threads' schedstat,
// which counts nanoseconds; the ticks in stat are sampled, and far off for a process
// that wakes thousands of times a second.
func CPU(pid int) time.Duration {
	var sum time.Duration
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, t := range threads {
		b, _ := os.ReadFile(t)
		first, _, _ := bytes.Cut(b, []byte(" "))
		ns, _ := strconv.ParseInt(string(first), 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

// RSS is the resident memory of a process in bytes. smaps_rollup is exact, where
// status lags behind by some pages a processor.
func RSS(pid int) int64 {
	n, _ := rss(pid)
	return n
}

func rss(pid int) (int64, bool) { return field(fmt.Sprintf("/proc/%d/smaps_rollup", pid), "Rss:") }

// Peak is the highest resident memory in bytes since the start or ResetPeak.
func Peak(pid int) int64 {
	n, _ := field(fmt.Sprintf("/proc/%d/status", pid), "VmHWM:")
	return n
}

// ResetPeak has Peak begin anew.
func ResetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0)
}

// field reads a line of the form "Name:  123 kB".
func field(path, name string) (int64, bool) {
	b, _ := os.ReadFile(path)
	for line := range bytes.Lines(b) {
		if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == name {
			kb, err := strconv.ParseInt(string(f[1]), 10, 64)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// tick is the unit of /proc/stat (USER_HZ, 100 on every Linux that Go runs on).
const tick = 10 * time.Millisecond

// Busy is the processor time that the whole machine has used: what is not idle.
func Busy() time.Duration {
	b, _ := os.ReadFile("/proc/stat")
	line, _, _ := bytes.Cut(b, []byte("\n"))
	var sum time.Duration
	for i, f := range bytes.Fields(line) {
		n, _ := strconv.ParseInt(string(f), 10, 64)
		switch i {
		case 1, 2, 3, 6, 7: // user, nice, system, irq, softirq
			sum += time.Duration(n) * tick
		}
	}
	return sum
}
