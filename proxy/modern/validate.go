package modern

import (
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// The headers that mirror the body (Streamable HTTP, Request Metadata), as net/http
// spells them.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-"
)

// visitor is what a request says about itself, once it is found to be valid.
type visitor struct {
	method, name string // name of the tool or prompt, or the resource's URI
	declared     *declaration
	client       policy.Client
}

// refusal is why a request is not taken.
type refusal struct {
	status, code int
	message      string
	data         []byte // raw JSON or nil
}

func (f *refusal) write(w http.ResponseWriter, id []byte) {
	body := wire.AppendError(nil, id, f.code, f.message, f.data)
	w.Header()["Content-Type"] = contentJSON
	w.WriteHeader(f.status)
	_, _ = w.Write(body)
}

func invalid(message string) *refusal {
	return &refusal{http.StatusBadRequest, wire.CodeInvalidParams, message, nil}
}

// mismatch is a header that is missing, there twice, or not what the body says.
func mismatch(header, why string) *refusal {
	return &refusal{http.StatusBadRequest, wire.CodeHeaderMismatch, "Header mismatch: " + header + " " + why, nil}
}

// visit holds a request to what a server must: the required members of _meta, the
// headers against the body, and the version (Base Protocol, _meta; Streamable HTTP,
// Server Validation; Versioning). With a version that is not spoken here, the visitor is
// known all the same.
func (h *Handler) visit(r *http.Request, m *wire.Scanner) (*visitor, *refusal) {
	msg := m.Bytes()
	version, ok := wire.Modern, true
	if raw := m.ProtocolVersion.Of(msg); string(raw) != `"`+wire.Modern+`"` {
		version, ok = wire.Unquote(raw)
	}
	if !ok {
		return nil, invalid("params._meta must hold " + wire.MetaProtocolVersion)
	}
	if f := mirrors(r, headerVersion, version, false); f != nil {
		return nil, f
	}
	v := &visitor{method: m.MethodName(), client: clientOf(m.ClientInfo.Of(msg), version)}
	if f := mirrors(r, headerMethod, v.method, false); f != nil {
		return nil, f
	}
	if f := v.readName(r, m); f != nil {
		return nil, f
	}
	if version != wire.Modern {
		return v, unsupported(version)
	}
	if v.declared = h.declarations.read(m.ClientCapabilities.Of(msg)); v.declared == nil {
		return nil, invalid("params._meta must hold " + wire.MetaClientCapabilities + ", an object")
	}
	v.client.Can = v.declared.can
	return v, nil
}

// clientOf describes the client to rules; info is its raw clientInfo, or nil.
func clientOf(info []byte, version string) policy.Client {
	c := policy.Client{Protocol: version}
	if wire.KindOf(info) == '{' {
		c.Name, _ = wire.Unquote(wire.Get(info, "name"))
		c.Version, _ = wire.Unquote(wire.Get(info, "version"))
	}
	return c
}

// readName takes the name that the method has, which the Mcp-Name header mirrors.
func (v *visitor) readName(r *http.Request, m *wire.Scanner) *refusal {
	member := wire.NameMember(v.method)
	at := m.Name
	switch member {
	case "":
		return nil
	case "uri":
		at = m.URI
	}
	var ok bool
	if v.name, ok = wire.Unquote(at.Of(m.Bytes())); !ok {
		return invalid("params." + member + " must be a string")
	}
	return mirrors(r, headerName, v.name, true)
}

// mirrors tells whether a header is there exactly once and says what the body says.
func mirrors(r *http.Request, header, want string, encoded bool) *refusal {
	values := r.Header[header]
	switch len(values) {
	case 0:
		return mismatch(header, "is missing")
	case 1:
	default:
		return mismatch(header, "is there more than once")
	}
	got, ok := values[0], true
	if encoded {
		got, ok = wire.DecodeHeader(got)
	}
	if !ok || got != want {
		return mismatch(header, "does not say what the body says")
	}
	return nil
}

// unsupported refuses a version that is not spoken here (Versioning, Protocol Version
// Negotiation). The server's own versions would mislead: this proxy is in between.
func unsupported(requested string) *refusal {
	data := wire.AppendQuoted([]byte(`{"supported":["`+wire.Modern+`"],"requested":`), wire.Clean(requested, 64))
	return &refusal{http.StatusBadRequest, wire.CodeUnsupportedVersion, "Unsupported protocol version", append(data, '}')}
}
