package answer

import (
	"context"
	"errors"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// extra lets the source of a rule answer. Its failures end the round trip: the settings are the client's.
func (j *job) extra(ctx context.Context, action *policy.Extra) ending {
	r, ok := action.Parsed.(registered)
	if !ok {
		return j.fail(sourcePolicy, metrics.AskRefused, resolver.Refused, "no source is known by the name of the rule's action")
	}
	raw, err := r.Answer(ctx, j.about, j.ask)
	switch {
	case err == nil:
	case errors.Is(err, ErrForward):
		return j.client(ctx, 0)
	default:
		if e, over := j.late(ctx, r.source, Fail); over {
			return e
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return j.fail(r.source, metrics.AskTimeout, resolver.Timeout, "")
		}
		return j.fail(r.source, metrics.AskError, resolver.HandlerError, err.Error())
	}
	if wire.Validate(raw) != nil {
		return j.invalid(r.source, "it is no JSON")
	}
	return j.checked(r.source, raw)
}
