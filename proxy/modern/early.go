package modern

import (
	"errors"
	"fmt"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// errShape is the fault of an answer that no kind of ask could have.
var errShape = errors.New("an answer is no object")

// held takes the answers of a first request, which go up to nobody before they are asked
// for. What they answer is not known yet: that they are objects, each under a key of its
// own, and no more than a round can have asks, is all that they are held to here.
func held(answers []byte) (map[string][]byte, *refusal) {
	early := map[string][]byte{}
	err := wire.Each(answers, func(key string, value []byte) error {
		if wire.KindOf(value) != '{' || len(early) == resolver.MostInputRequests {
			return errShape
		}
		early[key] = value
		return nil
	})
	switch {
	case err == nil:
		return early, nil
	case !errors.Is(err, errShape):
		return nil, invalid("inputResponses are not unambiguous")
	}
	return nil, invalid(fmt.Sprintf("inputResponses without a requestState must be objects, and no more than %d", resolver.MostInputRequests))
}

// dropUnasked counts the answers that were held for nothing.
func (h *Handler) dropUnasked(early map[string][]byte) {
	for range early {
		h.Dropped(metrics.Upstream, metrics.DropLateAnswer)
	}
}
