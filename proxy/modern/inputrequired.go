package modern

import (
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// inputRequired is the response for a client that has to send again: the server's own
// result with the asks that are the client's, and a requestState of the proxy's. It is
// nil when the round trip is too large for one.
func (h *Handler) inputRequired(r *http.Request, m *wire.Scanner, v *visitor, o *exchange.Open) []byte {
	now := time.Now()
	e := envelope{
		principal: h.principal(r),
		request:   digestOf(v.method, m.Params.Of(m.Bytes())),
		issued:    now,
		expires:   now.Add(max(shortest, 2*h.Service.LimitsOf(v.method, v.name).MaxRoundTripTime)),
		state:     o.State,
	}
	sealed, ok := e.seal(h.Sealer, h.Route)
	if !ok {
		return nil
	}
	msg := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Bytes())...)
	msg = append(append(msg, `,"result":`...), asked(o, wire.AppendQuoted(nil, sealed))...)
	return append(msg, '}')
}

// asked is the server's result with another requestState, and with the asks that are
// left.
func asked(o *exchange.Open, state []byte) []byte {
	stated := false
	result := wire.Rewrite(o.Whole, func(name string, value []byte) []byte {
		switch name {
		case "requestState":
			stated = true
			return state
		case "inputRequests":
			if o.Partly {
				return left(value, o.Asks)
			}
		}
		return value
	})
	if stated {
		return result
	}
	result = append(result[:len(result)-1], `,"requestState":`...) // it has a resultType at least
	return append(append(result, state...), '}')
}

// left is the server's inputRequests without those that have been answered. Both are in
// the server's order.
func left(requests []byte, asks []resolver.Ask) []byte {
	return wire.Rewrite(requests, func(key string, entry []byte) []byte {
		if len(asks) == 0 || asks[0].Key != key {
			return nil
		}
		asks = asks[1:]
		return entry
	})
}
