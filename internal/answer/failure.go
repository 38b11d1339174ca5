package answer

import (
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// fail ends the round trip for want of an answer. The detail holds no answer; it is cleaned and cut.
func (j *job) fail(source string, o metrics.AskOutcome, r resolver.Reason, detail string) ending {
	f := resolver.AskFailure(j.ask, r, detail)
	if r == resolver.HandlerError && source != sourceClient {
		// Its words would blame the client.
		f = resolver.AskFailure(j.ask, 0, detail)
		f.Reason = r
	}
	return ending{source: source, outcome: o, failure: f}
}

// invalid is an answer that does not fit what was asked.
func (j *job) invalid(source, why string) ending {
	return j.fail(source, metrics.AskInvalid, resolver.InvalidResponse, why)
}

// formOf makes an elicitation's schema ready; nil for every other kind. A schema that cannot be used is the server's fault.
func formOf(a *resolver.Ask) (*form, *resolver.Failure) {
	if a.Kind != wire.ElicitationForm {
		return nil, nil
	}
	raw := wire.Get(a.Params, "requestedSchema")
	if raw == nil && wire.Get(a.Params, "schema") != nil {
		return nil, badSchema(a, "it stands under schema")
	}
	f, err := compile(raw)
	if err != nil {
		return nil, badSchema(a, wire.Clean(err.Error(), maxPeerText))
	}
	return f, nil
}

func badSchema(a *resolver.Ask, why string) *resolver.Failure {
	f := resolver.ProtocolFailure(`the requestedSchema of its elicitation "` + wire.Clean(a.Key, maxPeerText) + `" cannot be used: ` + why)
	f.Key = a.Key
	return f
}
