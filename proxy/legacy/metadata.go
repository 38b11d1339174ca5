package legacy

import (
	"slices"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
)

// appendMeta appends the members of _meta that make a request a modern one. Without a
// log level the server must not send log messages. trace is of the HTTP request.
func (h *Handler) appendMeta(dst []byte, v *visitor, declared wire.Can, trace exchange.Trace) []byte {
	c := v.claims
	dst = slices.Grow(dst, 256+len(c.ClientName)+len(c.ClientVersion)+len(c.Capabilities.Extensions)+len(c.Capabilities.Experimental)+len(trace.Members))
	dst = append(dst, `"io.modelcontextprotocol/protocolVersion":"`+wire.Modern+`"`...)
	if c.ClientName != "" && c.ClientVersion != "" { // both are required where it is sent at all
		dst = append(dst, `,"io.modelcontextprotocol/clientInfo":{"name":`...)
		dst = wire.AppendQuoted(dst, c.ClientName)
		dst = append(dst, `,"version":`...)
		dst = wire.AppendQuoted(dst, c.ClientVersion)
		dst = append(dst, '}')
	}
	dst = append(dst, `,"io.modelcontextprotocol/clientCapabilities":`...)
	caps := c.Capabilities
	caps.Can = declared
	dst = caps.Append(dst)
	if level := h.Store.LogLevel(c.ID); level != "" {
		dst = append(dst, `,"io.modelcontextprotocol/logLevel":"`...)
		dst = append(append(dst, level...), '"')
	}
	if trace.Members != nil {
		dst = append(append(dst, ','), trace.Members...)
	}
	return dst
}
