package answer

import (
	"strings"

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

// read makes an elicitation ready: the form's schema, nil for a link and for every other kind. What cannot be read, or is
// read differently by different readers, is the server's fault.
func (d *Desk) read(a *resolver.Ask) (*form, *resolver.Failure) {
	if a.Kind != wire.ElicitationForm && a.Kind != wire.ElicitationURL {
		return nil, nil
	}
	var schema []byte
	misplaced, ambiguous := false, false
	err := wire.Each(a.Params, func(name string, v []byte) error {
		switch {
		case name == "requestedSchema":
			schema = v
		case name == "schema":
			misplaced = true
		case name != "url" && strings.EqualFold(name, "url"):
			ambiguous = true // some clients read names without regard to case
		}
		return nil
	})
	switch {
	case err != nil || ambiguous && a.Kind == wire.ElicitationURL:
		return nil, unusable(a, "the params", "members are repeated")
	case a.Kind == wire.ElicitationURL:
		return nil, nil
	case schema == nil && misplaced:
		return nil, unusable(a, "the requestedSchema", "it is called schema")
	}
	f, err := d.forms.of(schema)
	if err != nil {
		return nil, unusable(a, "the requestedSchema", wire.Clean(err.Error(), maxPeerText))
	}
	return f, nil
}

func unusable(a *resolver.Ask, what, why string) *resolver.Failure {
	f := resolver.ProtocolFailure(what + ` of its elicitation "` + wire.Clean(a.Key, maxPeerText) + `" cannot be used: ` + why)
	f.Key = a.Key
	return f
}
