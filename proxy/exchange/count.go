package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// observer counts what the step machine reports.
type observer struct{ s *Service }

// Trip implements resolver.Observer.
func (o observer) Trip(l resolver.Limit, observed bool) { o.s.Metrics.LimitTrip(l.String(), observed) }

// Round implements resolver.Observer. Rounds are counted as attempts, and once more
// when the exchange ends.
func (observer) Round(resolver.Round) {}

// ending turns the machine's last word into what the dialect has to tell, and names
// the outcome.
func (t *trip) ending(f *resolver.Failure) Ending {
	e := Ending{Rounds: t.state.Rounds() - t.before, Outcome: metrics.OK}
	if cause := context.Cause(t.ctx); cause != nil && (f != nil || t.err != nil) {
		return t.interruption(e, cause)
	}
	switch {
	case f != nil && t.err == nil:
		e.Failure, e.Outcome = f, failureOutcome(f)
	case t.err != nil:
		e.Err, e.Outcome = t.err, errorOutcome(t.err)
	case t.rpc:
		e.Outcome = metrics.Error
	}
	return e
}

// interruption is the ending of an exchange that was ended from outside.
func (t *trip) interruption(e Ending, cause error) Ending {
	if errors.Is(cause, ErrClientDeadline) {
		e.Failure = &resolver.Failure{Kind: resolver.InputHandler, Reason: resolver.Timeout, Rounds: t.state.Rounds(), Text: "Nobody has given the input that the server needs, in the time this client waits. Send the request again when somebody can answer."}
		e.Outcome = metrics.InputFailed
		return e
	}
	if errors.Is(cause, ErrShuttingDown) {
		e.Failure = resolver.ShutdownFailure()
		e.Failure.Rounds = t.state.Rounds()
		e.Outcome = metrics.Cancelled
		return e
	}
	e.Cause, e.Outcome = cause, metrics.Cancelled
	return e
}

func failureOutcome(f *resolver.Failure) metrics.Outcome {
	switch f.Kind {
	case resolver.RoundLimit, resolver.OverBudget:
		return metrics.Limit
	case resolver.InputHandler:
		return metrics.InputFailed
	case resolver.Protocol:
		return metrics.Protocol
	}
	return metrics.Cancelled
}

func errorOutcome(e *upstream.Error) metrics.Outcome {
	switch e.Reason {
	case upstream.MissingCapability:
		return metrics.Error
	case upstream.Cancelled:
		return metrics.Cancelled
	}
	return metrics.UpstreamFailed
}

// Count counts and logs an exchange that has ended: once for each, whatever dialect and method.
func (s *Service) Count(x *Exchange, era metrics.Era, method metrics.Method, e Ending) {
	s.Metrics.Requests(era, method, e.Outcome).Inc()
	took := time.Since(x.Began)
	metrics.ObserveTraced(s.Metrics.RequestDuration(era, method), took.Seconds(), x.Trace.ID)
	s.logEnding(x, era, method, &e, took)
	switch method {
	case metrics.MethodToolsCall, metrics.MethodPromptsGet, metrics.MethodResourcesRead:
		s.Metrics.Rounds(method, e.Outcome).Observe(float64(e.Rounds))
	}
}
