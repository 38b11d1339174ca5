package upstream

import (
	"maps"
	"net/http"
	"net/textproto"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// The headers of every request (MCP, Streamable HTTP: Sending Messages, Request Metadata), as net/http spells them.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// headers are those that all requests of a route have in common. No header of a client's request is ever copied.
type headers struct {
	common http.Header // values are shared between requests: read only
	host   string      // a Host among the route's headers
}

func newHeaders(o *Options) headers {
	h := headers{common: http.Header{}}
	for k, v := range o.Headers {
		if k = textproto.CanonicalMIMEHeaderKey(k); k == "Host" && len(v) > 0 {
			h.host = v[0]
			continue
		}
		h.common[k] = v
	}
	h.common["Content-Type"] = []string{"application/json"}
	h.common["Accept"] = []string{"application/json, text/event-stream"}
	h.common["Accept-Encoding"] = []string{"identity"}
	h.common[headerVersion] = []string{wire.Modern}
	if _, set := h.common["User-Agent"]; !set {
		h.common["User-Agent"] = []string{"mrtr-proxy"}
	}
	for _, own := range []string{headerMethod, headerName, "Mcp-Session-Id", "Last-Event-Id"} {
		delete(h.common, own)
	}
	switch o.Authorization.rule {
	case ruleFixed:
		h.common["Authorization"] = []string{o.Authorization.value}
	case ruleNone, ruleForward:
		// A route may have its credential among its headers.
	}
	return h
}

// fillHeader makes the headers of the request.
func (a *attempt) fillHeader() {
	if a.header == nil {
		a.header = make(http.Header, len(a.u.base.common)+len(a.values))
	}
	h, c := a.header, a.call
	maps.Copy(h, a.u.base.common)
	a.values[0] = wire.EncodeHeader(c.Method)
	h[headerMethod] = a.values[0:1:1]
	if wire.NameMember(c.Method) != "" {
		a.values[1] = wire.EncodeHeader(c.Name)
		h[headerName] = a.values[1:2:2]
	}
	for _, m := range a.mirrored {
		h[m.Name] = []string{wire.EncodeHeader(m.Value)}
	}
	if c.Passed != nil {
		maps.Copy(h, c.Passed.Mirrored)
	}
	if a.u.o.Authorization.Forwards() && c.Credential.Authorization != "" {
		a.values[2] = c.Credential.Authorization
		h["Authorization"] = a.values[2:3:3]
	}
}
