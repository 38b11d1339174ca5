package proxy

import (
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// isModern tells the era of a message by its body: every modern request carries its
// protocol version in _meta, and no legacy one does. A version header alone says it
// only outside a live session, since legacy clients send the version they hoped for,
// and says nothing on initialize.
func (rt *route) isModern(r *http.Request, s *wire.Scanner) bool {
	if s.ProtocolVersion.IsSet() {
		return true
	}
	if r.Header.Get("Mcp-Protocol-Version") != wire.Modern {
		return false
	}
	return s.MethodName() != wire.MethodInitialize && !rt.legacy.Live(r)
}
