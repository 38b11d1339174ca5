package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// isModern tells the era of a message by its body: every modern request carries its
// protocol version in _meta, and no legacy one does. A version header alone says it
// only outside a live session, since legacy clients send the version they hoped for,
// and says nothing on initialize.
func (rt *route) isModern(r *http.Request, s *wire.Scanner) bool {
	return s.ProtocolVersion.IsSet() || s.MethodName() != wire.MethodInitialize && rt.saysModern(r)
}

// saysModern tells it by the version header.
func (rt *route) saysModern(r *http.Request) bool {
	return r.Header.Get("Mcp-Protocol-Version") == wire.Modern && !rt.legacy.Live(r)
}

// postModern serves a message of a modern client, once it is known that the server is no
// legacy one.
func (rt *route) postModern(w http.ResponseWriter, r *http.Request, s *wire.Scanner) {
	if rt.upstream.Era() == upstream.Unknown {
		rt.look(r)
	}
	switch {
	case rt.passes():
		rt.passThrough(w, r, s)
	case rt.upstream.Era() == upstream.Legacy:
		refuse(w, http.StatusOK, s.ID.Of(s.Bytes()), wire.CodeInternal,
			"upstream speaks only legacy protocol revisions, which this route's rules do not reach: its configuration has to say era: legacy or passthrough: true")
	default:
		rt.modern.Post(w, r, s)
	}
}

// lookTime is how long a request waits to learn the server's era. It goes on without it,
// and meets whatever is wrong there itself.
const lookTime = 10 * time.Second

// look finds out the server's era, with whatever else asks for it at this time.
func (rt *route) look(r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), lookTime)
	defer cancel()
	authorization := r.Header.Get("Authorization")
	// What it found is the verdict; a failure is the request's own to meet.
	_, _ = rt.upstream.Discover(ctx, upstream.Credential{Authorization: authorization, Digest: session.CredentialOf(authorization)})
}
