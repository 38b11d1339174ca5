package daemon

import (
	"syscall"
	"time"
	"unsafe"
)

// clockMonotonic is CLOCK_MONOTONIC, which package time keeps to itself.
const clockMonotonic = 1

// monotonic is the time since a moment that never changes while the machine runs; 0 = unknown.
func monotonic() time.Duration {
	var ts syscall.Timespec
	if _, _, failed := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockMonotonic, uintptr(unsafe.Pointer(&ts)), 0); failed != 0 {
		return 0
	}
	return time.Duration(ts.Nano())
}
