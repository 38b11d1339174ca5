package proxy

import (
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// serveChannel serves the endpoint of the HTTP+SSE transport of 2024-11-05, which is
// beside the MCP endpoint, and its endpoint for messages below it.
func (rt *route) serveChannel(w http.ResponseWriter, r *http.Request) {
	switch {
	case !rt.admit(w, r):
	case r.Method == http.MethodGet && r.ContentLength != 0:
		refuse(w, http.StatusBadRequest, nil, wire.CodeInvalidRequest, "only a POST has a body here")
	case r.Method == http.MethodGet && r.URL.Path == rt.channel:
		rt.legacy.OpenChannel(w, r, rt.channel+channelMessages)
	case r.Method == http.MethodPost && r.URL.Path == rt.channel+channelMessages:
		s := takeScanner()
		defer giveScanner(s)
		if f := read(w, r, s, rt.maxBody); f != nil {
			refuse(w, f.status, f.id, f.code, f.message)
			return
		}
		rt.legacy.ChannelMessage(w, r, s)
	default:
		w.Header().Set("Allow", "GET, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// The endpoints of the HTTP+SSE transport: the stream's below the route, the one for
// messages below that.
const (
	channelPath     = "/sse"
	channelMessages = "/message"
)
