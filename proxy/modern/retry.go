package modern

import (
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// shortest is how long a requestState is good at least. It is longer than a round trip
// may take, so that one which took too long meets its limit and not a closed door.
const shortest = time.Hour

// brought is what a request brings for a round trip.
type brought struct {
	from  *exchange.Resumption // of one that was; nil for a first request
	early map[string][]byte    // answers that are held until they are asked for, by key
}

// brought tells what a request brings. Answers without a good state, unless the route
// holds them, and a state that is not good for this very request are refused: nothing of
// it may reach the server.
func (h *Handler) brought(r *http.Request, m *wire.Scanner, v *visitor) (b brought, f *refusal) {
	msg := m.Bytes()
	state, answers := present(m.RequestState.Of(msg)), present(m.InputResponses.Of(msg))
	switch {
	case state == nil && answers == nil:
		return b, nil
	case state == nil && !h.HoldEarlyAnswers:
		return b, invalid("inputResponses come without the requestState that they belong to")
	case wire.KindOf(answers) != '{' && answers != nil:
		return b, invalid("inputResponses must be an object")
	case state == nil:
		b.early, f = held(answers)
	default:
		b.from, f = h.resumption(r, m, v, state, answers)
	}
	return b, f
}

// resumption opens a state, and checks that it is good for this request.
func (h *Handler) resumption(r *http.Request, m *wire.Scanner, v *visitor, state, answers []byte) (*exchange.Resumption, *refusal) {
	sealed, ok := wire.Unquote(state)
	if !ok {
		return nil, invalid("requestState must be a string")
	}
	e, err := openEnvelope(h.Sealer, h.Route, sealed, h.principal(r), digestOf(v.method, m.Params.Of(m.Bytes())), time.Now())
	if err != nil {
		return nil, invalid(err.Error())
	}
	from := &exchange.Resumption{State: e.state, Asked: e.issued}
	if from.Answers, ok = h.answers(answers, e.state.Pending()); !ok {
		return nil, invalid("inputResponses are not unambiguous")
	}
	return from, nil
}

// present takes null for what is not there.
func present(raw []byte) []byte {
	if wire.KindOf(raw) == 'n' {
		return nil
	}
	return raw
}

// answers picks those that the client was asked for; others go nowhere.
func (h *Handler) answers(raw []byte, asked []resolver.Pending) (map[string][]byte, bool) {
	if raw == nil {
		return nil, true
	}
	picked := make(map[string][]byte, len(asked))
	for _, a := range asked {
		picked[a.Key] = nil
	}
	err := wire.Each(raw, func(key string, value []byte) error {
		if _, wanted := picked[key]; wanted {
			picked[key] = value
		} else {
			h.Dropped(metrics.Upstream, metrics.DropLateAnswer)
		}
		return nil
	})
	return picked, err == nil
}

// principal is who a request claims to be.
func (h *Handler) principal(r *http.Request) session.Digest {
	who, _ := session.Identify(r.Header.Get("Authorization"), h.Binding)
	return who
}
