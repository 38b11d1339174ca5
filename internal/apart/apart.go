// Package apart runs what needs a deep stack on a goroutine of its own. A goroutine keeps the deepest stack that it has
// needed, and that of a call which goes on to wait for a person is most of what the call costs.
package apart

import (
	"fmt"
	"runtime/debug"
)

// Do calls f on another goroutine and returns when it has returned. A panic of f becomes one of the caller's, so that it
// stays within whatever guards that.
func Do(f func()) {
	var fault any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				fault = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
		}()
		_ = depth(0)
		f()
	}()
	<-done
	if fault != nil {
		panic(fault)
	}
}

// depth makes a stack deep while there is little on it that would have to move.
//
//go:noinline
func depth(i int) byte {
	var room [8 << 10]byte
	return room[i]
}
