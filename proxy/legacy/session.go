package legacy

import (
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// visitor is who sent a request: a session, and the credential that came along.
type visitor struct {
	claims     *session.Claims
	credential upstream.Credential
}

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
)

// visit finds the session of a request. When there is none that is good here, the
// client has been answered: 404 means that it has to start over, 400 that it has to
// start at all. id is the raw id of the request, nil where there is none.
func (h *Handler) visit(w http.ResponseWriter, r *http.Request, id []byte) *visitor {
	token := r.Header.Get(headerSession)
	if token == "" {
		refuse(w, http.StatusBadRequest, id, wire.CodeInvalidRequest, "no session: send initialize first, then the Mcp-Session-Id it was answered with")
		return nil
	}
	v := h.open(r, token)
	if v == nil {
		refuse(w, http.StatusNotFound, id, codeSession, "the session is unknown or has ended: send initialize again")
		return nil
	}
	if !h.knownVersion(r, v) {
		refuse(w, http.StatusBadRequest, id, wire.CodeInvalidRequest, "unknown MCP-Protocol-Version; this session speaks "+v.claims.Version.String())
		return nil
	}
	return v
}

// open opens a session id for the credential of a request, or returns nil.
func (h *Handler) open(r *http.Request, token string) *visitor {
	claims, err := session.OpenClaims(h.Sealer, h.Route, token, time.Now(), h.MaxAge)
	if err != nil || h.Store.Ended(claims.ID) {
		return nil
	}
	v := &visitor{claims: claims}
	v.credential.Authorization = r.Header.Get("Authorization")
	v.credential.Digest = session.CredentialOf(v.credential.Authorization)
	if !h.belongs(v) {
		return nil
	}
	return v
}

// belongs tells whether a credential is one of the session's principal: the very one
// that it was opened with, or a refreshed one of the same subject.
func (h *Handler) belongs(v *visitor) bool {
	if h.Binding == session.BindNone || v.credential.Digest == v.claims.Credential {
		return true
	}
	principal, _ := session.Identify(v.credential.Authorization, h.Binding)
	return principal == v.claims.Principal
}

// knownVersion judges the version header, which from 2025-06-18 on a client should
// send. The session tells the version already, so only a value that is no legacy
// revision at all is an error.
func (h *Handler) knownVersion(r *http.Request, v *visitor) bool {
	said := r.Header[headerVersion]
	if len(said) == 0 {
		return true
	}
	version, ok := wire.ParseVersion(said[0])
	if !ok || len(said) > 1 {
		return false
	}
	if version != v.claims.Version {
		h.Log.Debug("version header differs from the session's", zap.Stringer("header", version), zap.Stringer("session", v.claims.Version))
	}
	return true
}

// admitted tells whether the visitor may have effects here, like answering, cancelling
// or ending the session. A token's subject is taken from it unverified, so a credential
// that is new to the session must first be accepted by the upstream, which is asked
// here where that has not happened. When the answer is no, the client has been told.
func (h *Handler) admitted(w http.ResponseWriter, r *http.Request, v *visitor, id []byte) bool {
	e := h.objection(r, v)
	switch {
	case e == nil:
		return true
	case e.Reason == upstream.Unauthorized:
		h.challenge(w, r, id, e)
	default:
		refuse(w, http.StatusServiceUnavailable, id, e.Code, e.Message)
	}
	return false
}

// objection is why the visitor is not admitted, nil when it is. Nothing is written: a
// request's reply may be a stream by the time upstream has judged.
func (h *Handler) objection(r *http.Request, v *visitor) *upstream.Error {
	var err error
	if h.Binding != session.BindNone && v.credential.Digest != v.claims.Credential {
		err = h.Service.Upstream.Vouch(r.Context(), v.credential)
	}
	if err == nil {
		h.remember(v)
		return nil
	}
	var e *upstream.Error
	if errors.As(err, &e) && e.Reason == upstream.Unauthorized {
		return e
	}
	return &upstream.Error{Code: wire.CodeInternal, Message: "the upstream cannot be asked about this credential now"}
}

// Live tells whether a request comes in a session that is good here.
func (h *Handler) Live(r *http.Request) bool {
	token := r.Header.Get(headerSession)
	return token != "" && h.open(r, token) != nil
}
