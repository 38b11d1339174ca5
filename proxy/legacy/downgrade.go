package legacy

import (
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// downgrade gives the params of an ask in the form that the session's revision has for
// it; what needs no change keeps its bytes. It returns nil params where the ask has
// none, and an answer.Inexpressible where the revision has no form.
func downgrade(a resolver.Ask, version wire.Version) ([]byte, error) {
	switch a.Kind {
	case wire.ElicitationForm:
		return downgradeForm(a.Params, version)
	case wire.ElicitationURL:
		return withElicitationID(a.Params), nil
	case wire.Sampling:
		return downgradeSampling(a.Params, version)
	}
	return a.Params, nil
}
