package deadline

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnAwaitedValueComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := in(t.Context(), time.Minute)
		defer c.Release()
		for _, ctx := range []context.Context{c, t.Context()} {
			before, after := NewAwaited[string](), NewAwaited[string]()
			before.Deliver("a")
			before.Deliver("b")
			if v, err := before.Wait(ctx); v != "a" || err != nil {
				t.Errorf("%v, %v", v, err)
			}
			time.AfterFunc(time.Second, func() { after.Deliver("c") })
			if v, err := after.Wait(ctx); v != "c" || err != nil {
				t.Errorf("%v, %v", v, err)
			}
			after.Deliver("d") // nobody waits any more
		}
		if c.timed != nil {
			t.Error("the context has a timer")
		}
	})
}

func TestWhatEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		timed := in(plain, time.Minute)
		defer timed.Release()
		soon := in(t.Context(), time.Minute)
		defer soon.Release()
		for ctx, want := range map[context.Context]error{plain: context.Canceled, timed: context.Canceled, soon: context.DeadlineExceeded} {
			if v, err := NewAwaited[int]().Wait(ctx); v != 0 || !errors.Is(err, want) {
				t.Errorf("%v, %v, want %v", v, err, want)
			}
		}
	})
}
