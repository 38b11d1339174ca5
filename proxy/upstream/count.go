package upstream

import (
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

// countAttempt counts an attempt that is over.
func (u *Upstream) countAttempt(c *Call, res *Result, err *Error, took time.Duration) {
	m := u.o.Metrics
	if m == nil {
		return
	}
	label := metrics.MethodOf(c.Method)
	m.Attempts(label, attemptOutcome(res, err)).Inc()
	metrics.ObserveTraced(m.AttemptDuration(label), took.Seconds(), c.Trace)
	if res.Outcome == InputRequired && res.State != nil {
		m.RequestStateBytes.Observe(float64(len(res.State)))
	}
}

func attemptOutcome(res *Result, err *Error) metrics.AttemptOutcome {
	switch {
	case err == nil && res.Outcome == Complete:
		return metrics.AttemptComplete
	case err == nil && res.Outcome == InputRequired:
		return metrics.AttemptInputRequired
	case err == nil:
		return metrics.AttemptError
	}
	switch err.Reason {
	case Cancelled:
		return metrics.AttemptCancelled
	case HeaderMismatch, MissingCapability, NoCommonVersion:
		return metrics.AttemptError
	}
	return metrics.AttemptFailed
}

// countEra shows which era the server is taken to speak.
func (u *Upstream) countEra(e Era) {
	if u.o.Metrics == nil {
		return
	}
	switch e {
	case Modern:
		u.o.Metrics.SetUpstreamEra(metrics.Modern)
	case Legacy:
		u.o.Metrics.SetUpstreamEra(metrics.Legacy)
	default:
		u.o.Metrics.SetUpstreamEra(metrics.Unknown)
	}
}
