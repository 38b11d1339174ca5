package answer

import (
	"context"
	"errors"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

// The clocks of an ask, as causes of its context.
var (
	errInputTimeout = errors.New("input_timeout has passed")
	errPatience     = errors.New("the rule's timeout has passed")
)

// limit puts the ask under input_timeout, which may only be reported, and under what is left of the round trip.
func (j *job) limit(ctx context.Context) (context.Context, func()) {
	timeout, observed := j.inputTimeout()
	end, why := j.about.Until, error(nil)
	if timeout > 0 && !observed {
		if over := time.Now().Add(timeout); end.IsZero() || over.Before(end) {
			end, why = over, errInputTimeout
		}
	}
	stop := func() {}
	if timeout > 0 && observed && j.about.Overdue != nil {
		t := time.AfterFunc(timeout, func() { j.about.Overdue(j.ask.Key) })
		stop = func() { t.Stop() }
	}
	if end.IsZero() {
		return ctx, stop
	}
	c := deadline.By(ctx, end, why)
	return c, func() { c.Release(); stop() }
}

// inputTimeout is how long an ask may be open, and whether that is only reported.
func (j *job) inputTimeout() (limit time.Duration, observed bool) {
	if l := j.about.Limits; l != nil {
		return l.InputTimeout, l.Observe
	}
	return j.desk.options.Settings.InputTimeout, j.desk.options.Settings.Observe
}

// ran says which of an ask's clocks has ended its context, if any has.
type ran uint8

const (
	notRun     ran = iota
	inputClock     // input_timeout
	ruleClock      // the rule's own
	tripClock      // a deadline from outside
	withdrawn      // cancelled from outside
)

func clock(ctx context.Context) ran {
	switch cause := deadline.Cause(ctx); {
	case cause == nil:
		return notRun
	case errors.Is(cause, errInputTimeout):
		return inputClock
	case errors.Is(cause, errPatience):
		return ruleClock
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return tripClock
	}
	return withdrawn
}
