package deadline

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errWhy = errors.New("why")

func in(ctx context.Context, d time.Duration) *Context { return By(ctx, time.Now().Add(d), errWhy) }

// ways are those in which one learns that a context has ended; each waits for it.
var ways = map[string]func(ctx context.Context){
	"done":    func(ctx context.Context) { <-ctx.Done() },
	"awaited": func(ctx context.Context) { _, _ = NewAwaited[int]().Wait(ctx) },
	"child": func(ctx context.Context) {
		child, cancel := context.WithCancel(ctx)
		defer cancel()
		<-child.Done()
	},
}

func eachWay(t *testing.T, test func(t *testing.T, wait func(context.Context))) {
	t.Helper()
	for name, wait := range ways {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, wait) }) })
	}
}

// ended checks how a context has ended, now and for good.
func ended(ctx context.Context, t *testing.T, after time.Duration, began time.Time, err, cause error) {
	t.Helper()
	if took := time.Since(began); took != after {
		t.Errorf("it ended after %v, want %v", took, after)
	}
	for range 2 {
		if !errors.Is(ctx.Err(), err) || !errors.Is(Cause(ctx), cause) {
			t.Errorf("%v, for %v, want %v, for %v", ctx.Err(), Cause(ctx), err, cause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			t.Error("Done does not tell")
		}
	}
}

func TestAContextEndsAtItsTime(t *testing.T) {
	eachWay(t, func(t *testing.T, wait func(context.Context)) {
		began := time.Now()
		c := in(t.Context(), time.Second)
		defer c.Release()
		if at, ok := c.Deadline(); !ok || at != began.Add(time.Second) || Of(c) != at {
			t.Errorf("its deadline is %v, %v, %v", at, ok, Of(c))
		}
		wait(c)
		ended(c, t, time.Second, began, context.DeadlineExceeded, errWhy)
	})
}

func TestAContextEndsWithWhatItIsMadeOf(t *testing.T) {
	gone := errors.New("gone")
	eachWay(t, func(t *testing.T, wait func(context.Context)) {
		began := time.Now()
		parent, cancel := context.WithCancelCause(t.Context())
		c := in(parent, time.Minute)
		defer c.Release()
		time.AfterFunc(time.Second, func() { cancel(gone) })
		wait(c)
		ended(c, t, time.Second, began, context.Canceled, gone)
	})
}

func TestAnEndIsForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(t.Context())
		c := in(parent, time.Second)
		defer c.Release()
		time.Sleep(time.Second)
		if err := c.Err(); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		cancel()
		ended(c, t, time.Second, time.Now().Add(-time.Second), context.DeadlineExceeded, errWhy)
	})
}

func TestOfTwoTimesTheFirstCounts(t *testing.T) {
	other := errors.New("other")
	for name, tc := range map[string]struct {
		outer, inner time.Duration
		cause        error
	}{
		"the outer": {time.Second, time.Minute, errWhy},
		"the inner": {time.Minute, time.Second, other},
	} {
		eachWay(t, func(t *testing.T, wait func(context.Context)) {
			began := time.Now()
			outer := in(t.Context(), tc.outer)
			defer outer.Release()
			c := By(outer, began.Add(tc.inner), other)
			defer c.Release()
			wait(c)
			ended(c, t, time.Second, began, context.DeadlineExceeded, tc.cause)
			if _, ok := c.Context.(*Context); ok {
				t.Errorf("%s: one is made of the other", name)
			}
		})
	}
}

func TestTheCauseOfAChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := in(t.Context(), time.Second)
		defer c.Release()
		child, cancel := context.WithTimeout(c, time.Minute)
		defer cancel()
		<-child.Done()
		if !errors.Is(context.Cause(child), errWhy) || !errors.Is(Cause(child), errWhy) {
			t.Errorf("%v, %v", context.Cause(child), Cause(child))
		}
	})
}

func TestOnCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(t.Context())
		c := in(parent, time.Second)
		defer c.Release()
		told := 0
		OnCancel(c, func() { told++ })
		stop := OnCancel(c, func() { told += 10 })
		time.Sleep(time.Minute)
		if synctest.Wait(); told != 0 {
			t.Error("it hears of the time")
		}
		if !stop() || stop() {
			t.Error("it was not on, or stays on")
		}
		cancel()
		if synctest.Wait(); told != 1 {
			t.Errorf("told %d", told)
		}
	})
}
