package legacy

import (
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// remember notes the credential that a session shows now, if it is another one than it was
// opened with and the upstream has accepted it.
func (h *Handler) remember(v *visitor) {
	if v.credential.Digest != v.claims.Credential && h.Service.Upstream.Accepted(v.credential.Digest) {
		h.Store.Renew(v.claims.ID, v.credential.Authorization)
	}
}

// newest is the credential that a retry goes up under: of those that the upstream has
// accepted from this session, the one that came last. Where a session is not bound to
// its principal, it is still one of the same subject only: nobody's request goes up in
// the name of somebody else.
func (h *Handler) newest(v *visitor) upstream.Credential {
	h.remember(v) // the first attempt may have shown that it is good
	own := v.credential
	c := upstream.Credential{Authorization: h.Store.Renewed(v.claims.ID)}
	if c.Authorization == "" || c.Authorization == own.Authorization {
		return own
	}
	c.Digest = session.CredentialOf(c.Authorization)
	if !h.Service.Upstream.Accepted(c.Digest) {
		return own
	}
	if h.Binding == session.BindNone {
		before, _ := session.Identify(own.Authorization, session.BindSubject)
		now, _ := session.Identify(c.Authorization, session.BindSubject)
		if before != now {
			return own
		}
	}
	return c
}
