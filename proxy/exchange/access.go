package exchange

import (
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// Logs tells whether exchanges are logged now: what only the log needs need not be
// found out otherwise.
func (s *Service) Logs() bool { return s.Access != nil && s.Access.Core().Enabled(zap.InfoLevel) }

// logEnding writes the line of an exchange that has ended. The outcome is in its
// message, since a sampled log drops by message: a flood of one outcome hides no other.
// Ids, params, answers, states and credentials are in no line.
func (s *Service) logEnding(x *Exchange, era metrics.Era, method metrics.Method, e *Ending, took time.Duration) {
	if s.Access == nil {
		return
	}
	line := s.Access.Check(zap.InfoLevel, "exchange "+e.Outcome.String())
	if line == nil {
		return
	}
	fields := make([]zap.Field, 0, 12)
	fields = append(fields,
		zap.Stringer("era", era), zap.Stringer("method", method), zap.Stringer("outcome", e.Outcome),
		zap.Int("rounds", e.Rounds), zap.Float64("duration_seconds", took.Seconds()))
	if x.Session != (session.ID{}) {
		fields = append(fields, zap.String("session", s.Pseudonym(x.Session[:])))
	}
	if x.Principal != (session.Digest{}) {
		fields = append(fields, zap.String("principal", s.Pseudonym(x.Principal[:])))
	}
	if x.Trace.ID != "" {
		fields = append(fields, zap.String("trace", x.Trace.ID))
	}
	line.Write(append(fields, reasons(e)...)...)
}

// reasons say why an exchange failed, in words of the proxy's own.
func reasons(e *Ending) (fields []zap.Field) {
	switch {
	case e.Failure != nil:
		fields = append(fields, zap.Stringer("failure", e.Failure.Kind))
		if e.Failure.Limit != 0 {
			fields = append(fields, zap.Stringer("limit", e.Failure.Limit))
		}
		if e.Failure.Reason != 0 {
			fields = append(fields, zap.Stringer("reason", e.Failure.Reason))
		}
	case e.Err != nil:
		fields = append(fields, zap.Stringer("reason", e.Err.Reason))
		if e.Err.Status != 0 {
			fields = append(fields, zap.Int("status", e.Err.Status))
		}
	case e.Cause != nil:
		fields = append(fields, zap.String("reason", e.Cause.Error()))
	}
	return fields
}
