package upstream

import (
	"net/http"
	"strconv"
)

// unauthorized is a refused credential. Where it is the client's, the challenge is the client's to answer.
func (a *attempt) unauthorized(resp *http.Response) *Error {
	var e *Error
	if a.u.o.Authorization.Forwards() {
		if a.status == http.StatusUnauthorized {
			a.u.disown(a.call.Credential)
		}
		e = a.fail(Unauthorized, "upstream did not accept the credential (HTTP "+strconv.Itoa(a.status)+")")
		e.Challenge = challengeOf(resp.Header)
	} else {
		e = a.fail(OwnCredential, a.u.o.Authorization.refusedText()+" (HTTP "+strconv.Itoa(a.status)+")")
	}
	e.Data = statusData(e.Status, "")
	return e
}

// disown forgets what was only known since the server took the credential.
func (u *Upstream) disown(c Credential) {
	u.accepted.forget(c.Digest)
	u.views.private.forget(c.Digest)
}

// passChallenge makes of a challenge that is passed through what the client may see of it. It fails where the credential
// that was refused is not the client's.
func (u *Upstream) passChallenge(resp *http.Response, metadata func(*http.Request) string) error {
	if resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return nil
	}
	lines := challengeOf(resp.Header)
	resp.Header.Del(headerChallenge)
	resp.Header.Del(headerRemapped)
	if !u.o.Authorization.Forwards() {
		if resp.StatusCode == http.StatusUnauthorized {
			return errOwnCredential
		}
		return nil // and what the server says with it may be for the client
	}
	if lines = rewriteChallenges(lines, resp.StatusCode, metadata(resp.Request)); len(lines) > 0 {
		resp.Header[headerChallenge] = lines
	}
	return nil
}

// refusedText says what no client can do anything about.
func (a Authorization) refusedText() string {
	if a.rule == ruleNone {
		return "upstream wants a credential, and this route sends none"
	}
	return "upstream did not accept the proxy's own credential"
}
