package legacy

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// initialize opens a session. It is answered here, from what server/discover told: the
// revision that was asked for if it is a legacy one, else the newest legacy one. A
// session id that comes along is stale and ignored, as is a version header. It returns
// what was settled, or nil when there is no session.
func (h *Handler) initialize(w http.ResponseWriter, r *http.Request, m *wire.Scanner) *session.Claims {
	id := m.ID.Of(m.Bytes())
	x, err := h.Registry.Begin(time.Now())
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, id, wire.CodeInternal, err.Error())
		return nil
	}
	defer x.Leave()
	e := exchange.Ending{Outcome: metrics.OK}
	x.Trace = exchange.TraceOf(r.Header, m)
	c, err := h.handshake(w, r, m)
	if _, shared := w.(*member); isLegacy(err) && h.PassThrough != nil && !shared {
		h.PassThrough(w, r, m)
		return nil
	}
	if err != nil {
		e.Outcome = metrics.UpstreamFailed
		h.refuseHandshake(w, r, id, err)
	}
	if c != nil {
		x.Session, x.Principal = c.ID, c.Principal
	}
	h.Service.Count(x, metrics.Legacy, metrics.MethodInitialize, e)
	return c
}

// isLegacy tells whether the server is a legacy one, which shakes hands itself.
func isLegacy(err error) bool {
	e, ok := errors.AsType[*upstream.Error](err)
	return ok && e.Reason == upstream.WrongEra
}

func (h *Handler) refuseHandshake(w http.ResponseWriter, r *http.Request, id []byte, err error) {
	e := &upstream.Error{Code: wire.CodeInternal, Message: "the upstream server cannot be reached"}
	if errors.As(err, &e) && e.Reason == upstream.Unauthorized {
		h.challenge(w, r, id, e)
		return
	}
	message := e.Message
	if e.Reason == upstream.WrongEra {
		message += ", which this route's rules do not reach: its configuration has to say era: legacy or passthrough: true"
	}
	w.Header()["Content-Type"] = contentJSON
	_, _ = w.Write(wire.AppendError(nil, id, e.Code, message, e.Data))
}

// handshake answers initialize; it has written nothing when it fails.
func (h *Handler) handshake(w http.ResponseWriter, r *http.Request, m *wire.Scanner) (*session.Claims, error) {
	authorization := r.Header.Get("Authorization")
	principal, credential := session.Identify(authorization, h.Binding)
	view, err := h.Service.Upstream.Discover(r.Context(), upstream.Credential{Authorization: authorization, Digest: credential})
	if err != nil {
		return nil, err
	}
	params := m.Params.Of(m.Bytes())
	requested, _ := wire.Unquote(wire.Get(params, "protocolVersion"))
	version, ok := wire.ParseVersion(requested)
	if !ok {
		version = wire.Newest
	}
	c := &session.Claims{
		ID:           session.NewID(),
		Version:      version,
		Issued:       time.Now(),
		Capabilities: wire.ParseCapabilities(wire.Get(params, "capabilities")),
		Principal:    principal,
		Credential:   credential,
	}
	c.ClientName, _ = wire.Unquote(wire.Get(params, "clientInfo", "name"))
	c.ClientVersion, _ = wire.Unquote(wire.Get(params, "clientInfo", "version"))

	body := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(m.Bytes())...)
	body = h.appendInitialize(append(body, `,"result":`...), view, version)
	body = append(body, '}')
	w.Header()[headerSession] = []string{session.SealClaims(h.Sealer, h.Route, c)}
	h.Metrics.SessionOpened(requested, version)
	h.Metrics.ClientRevision(c.ClientName, requested, version.String())
	if a := accepts(r.Header); !a.json && a.stream {
		s := stream{w: w}
		s.write(wire.AppendEvent(nil, "", body, true))
		return c, nil
	}
	w.Header()["Content-Type"] = contentJSON
	_, _ = w.Write(body)
	return c, nil
}

// appendInitialize appends the result of initialize.
func (h *Handler) appendInitialize(dst []byte, view *upstream.View, version wire.Version) []byte {
	dst = append(dst, `{"protocolVersion":"`+version.String()+`","capabilities":`...)
	dst = appendServerCapabilities(dst, view.Capabilities, version)
	dst = append(dst, `,"serverInfo":`...)
	if view.ServerInfo != nil {
		dst = append(dst, view.ServerInfo...)
	} else {
		name := strings.Trim(h.Route, "/")
		if name == "" {
			name = "mcp"
		}
		dst = append(dst, `{"name":`...)
		dst = append(wire.AppendQuoted(dst, name), `,"version":"unknown"}`...)
	}
	if view.Instructions != nil {
		dst = append(append(dst, `,"instructions":`...), view.Instructions...)
	}
	return append(dst, '}')
}
