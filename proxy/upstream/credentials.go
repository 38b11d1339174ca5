package upstream

import "github.com/mrtr-proxy/mrtr-proxy/internal/session"

// Authorization is a route's rule for the Authorization header. The zero value forwards the client's.
type Authorization struct {
	rule  authorizationRule
	value string
}

type authorizationRule uint8

const (
	ruleForward authorizationRule = iota
	ruleNone
	ruleFixed
)

// Forward passes the client's own credential on, and none when there is none.
func Forward() Authorization { return Authorization{} }

// NoAuthorization sends no credential.
func NoAuthorization() Authorization { return Authorization{rule: ruleNone} }

// Fixed sends value, the whole header value, on every request, whatever the client shows.
func Fixed(value string) Authorization { return Authorization{rule: ruleFixed, value: value} }

// Forwards tells whether clients' own credentials go up.
func (a Authorization) Forwards() bool { return a.rule == ruleForward }

// String never shows the credential.
func (a Authorization) String() string {
	return [...]string{"forward", "none", "fixed"}[a.rule]
}

// GoString never shows the credential.
func (a Authorization) GoString() string { return a.String() }

// Credential is what a client shows.
type Credential struct {
	Authorization string // header value as it came; "" is none
	Digest        session.Digest
}

// acceptedMax is how many accepted credentials are remembered at least.
const acceptedMax = 4096

// Accepted tells whether the server has accepted this credential: it answered a request under it with a result. Memory of
// that is bounded, so false may also mean forgotten. Where clients' credentials do not go up it is always false: such a
// server vouches for nobody.
func (u *Upstream) Accepted(cred session.Digest) bool {
	if !u.o.Authorization.Forwards() {
		return false
	}
	_, ok := u.accepted.get(cred)
	return ok
}

// accept notes that the server has taken the attempt's credential.
func (a *attempt) accept() {
	if !a.u.o.Authorization.Forwards() {
		return
	}
	if _, known := a.u.accepted.get(a.call.Credential.Digest); !known {
		a.u.accepted.put(a.call.Credential.Digest, true)
		a.u.hub.accepted(a.call.Credential)
	}
}

// audience is under whose credential the server sees a client: everybody's is the same where clients' own do not go up.
func (u *Upstream) audience(c Credential) session.Digest {
	if !u.o.Authorization.Forwards() {
		return session.Digest{}
	}
	return c.Digest
}
