package exchange

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

func TestALifetimeTellsOfItsEnd(t *testing.T) {
	x, err := NewRegistry(1).Begin(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Leave()
	var told []int
	on := func(n int) func() bool { return deadline.OnCancel(x.Context(), func() { told = append(told, n) }) }
	on(1)
	stop := on(2)
	on(3)
	if !stop() || stop() {
		t.Error("it was not on, or stays on")
	}
	child, cancel := context.WithCancel(x.Context())
	defer cancel()
	x.End(ErrCancelled)
	x.End(ErrDropped)
	<-child.Done()
	if late := on(4); late() {
		t.Error("it is on after the end")
	}
	if len(told) != 3 || told[0] != 1 || told[1] != 3 || told[2] != 4 {
		t.Errorf("told %v", told)
	}
	if !errors.Is(context.Cause(x.Context()), ErrCancelled) || !errors.Is(context.Cause(child), ErrCancelled) {
		t.Errorf("%v, %v", context.Cause(x.Context()), context.Cause(child))
	}
}
