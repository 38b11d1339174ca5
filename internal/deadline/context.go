package deadline

import (
	"context"
	"sync"
	"time"
)

// Context is a context that ends at a time. Unlike the library's, it has no timer, and is no child of the one that it is made
// of, until somebody asks for Done: most work is over before, or waits for something that knows of deadlines itself.
type Context struct {
	context.Context // that it is made of
	at              time.Time
	why             error // the cause of its end by time

	mu         sync.Mutex
	timed      context.Context // the library's, nil until somebody has asked for Done
	stop       context.CancelFunc
	err, cause error // once it has ended
}

// By makes a Context that ends at a time, for a cause; a cause of nil is context.DeadlineExceeded. Release must be called.
func By(ctx context.Context, at time.Time, why error) *Context {
	if why == nil {
		why = context.DeadlineExceeded
	}
	if c, ok := ctx.(*Context); ok { // one is enough
		if ctx = c.Context; !c.at.After(at) {
			at, why = c.at, c.why
		}
	}
	return &Context{Context: ctx, at: at, why: why}
}

// Release lets go of what waits for its end. Nobody may ask the Context for anything after that.
func (c *Context) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// Deadline implements context.Context.
func (c *Context) Deadline() (time.Time, bool) {
	if at, ok := c.Context.Deadline(); ok && at.Before(c.at) {
		return at, true
	}
	return c.at, true
}

// Done implements context.Context.
func (c *Context) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timed == nil {
		c.timed, c.stop = context.WithDeadlineCause(c.Context, c.at, c.why)
	}
	return c.timed.Done()
}

// Value implements context.Context. The library finds its own in it, to make children of.
func (c *Context) Value(key any) any {
	c.mu.Lock()
	timed := c.timed
	c.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return c.Context.Value(key)
}

// Err implements context.Context.
func (c *Context) Err() error {
	err, _ := c.end(false)
	return err
}

// end gives the error and the cause, nil before the end. due says that its time has come.
func (c *Context) end(due bool) (err, cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil:
	case c.timed != nil && c.timed.Err() != nil:
		c.err, c.cause = c.timed.Err(), context.Cause(c.timed)
	case c.Context.Err() != nil:
		c.err, c.cause = c.Context.Err(), context.Cause(c.Context)
	case due || c.timed == nil && time.Until(c.at) <= 0:
		c.err, c.cause = context.DeadlineExceeded, c.why
	}
	return c.err, c.cause
}

// Cause is context.Cause, and knows that of a Context.
func Cause(ctx context.Context) error {
	if c, ok := ctx.(*Context); ok {
		_, cause := c.end(false)
		return cause
	}
	return context.Cause(ctx)
}

// Due ends a Context whose time has come, as who watches that itself has found.
func Due(ctx context.Context) {
	if c, ok := ctx.(*Context); ok && time.Until(c.at) <= 0 {
		_, _ = c.end(true)
	}
}

// Of is when a Context ends by time, the zero time for a context of another kind: what watches that itself may leave Done
// alone and use OnCancel.
func Of(ctx context.Context) time.Time {
	if c, ok := ctx.(*Context); ok {
		return c.at
	}
	return time.Time{}
}

// Canceller is a context that says itself when it is cancelled. What OnCancel is given is called by whoever cancels, who may
// hold a lock: it must return at once.
type Canceller interface {
	OnCancel(f func()) (stop func() bool)
}

// OnCancel is context.AfterFunc, but for the end of a Context by its time, of which f does not hear.
func OnCancel(ctx context.Context, f func()) (stop func() bool) {
	if c, ok := ctx.(*Context); ok {
		ctx = c.Context
	}
	if c, ok := ctx.(Canceller); ok {
		return c.OnCancel(f)
	}
	return context.AfterFunc(ctx, f)
}
