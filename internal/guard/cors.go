package guard

import (
	"net/http"
	"strings"
)

// What a browser may send, and show to the page, in MCP. Mcp-Param-* comes on top of it: those names are the tools'.
const (
	corsMethods = "GET, POST, DELETE"
	corsHeaders = "Content-Type, Accept, Authorization, Mcp-Session-Id, MCP-Protocol-Version, Last-Event-ID, Mcp-Method, Mcp-Name"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate"
	corsMaxAge  = "7200" // seconds; what Chromium cuts it down to
	paramPrefix = "mcp-param-"
	// maxParams bounds the parameter headers of one preflight, as a tool bounds its parameters.
	maxParams = 64
)

// varyOrigin is shared by all answers, and full: what is added to it is added to a copy.
var varyOrigin = []string{"Origin"}

// CORS is Handler, and grants allowed origins what an MCP client in a page needs; their preflights it answers itself.
func (g *Guard) CORS(next http.Handler) http.Handler {
	return g.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if h["Vary"] == nil {
			h["Vary"] = varyOrigin
		} else {
			h.Add("Vary", "Origin")
		}
		origin := r.Header.Get("Origin")
		if origin == "" {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", corsExposed)
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Add("Vary", "Access-Control-Request-Headers")
		w.Header().Set("Access-Control-Allow-Methods", corsMethods)
		w.Header().Set("Access-Control-Allow-Headers", corsHeaders+paramHeaders(r.Header.Get("Access-Control-Request-Headers")))
		w.Header().Set("Access-Control-Max-Age", corsMaxAge)
		w.WriteHeader(http.StatusNoContent)
	}))
}

// paramHeaders are the requested Mcp-Param-* names, each behind a comma.
func paramHeaders(requested string) string {
	var b strings.Builder
	n := 0
	for name := range strings.SplitSeq(requested, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if n < maxParams && strings.HasPrefix(name, paramPrefix) && isToken(name) {
			b.WriteString(", " + name)
			n++
		}
	}
	return b.String()
}

// isToken checks a lower-case header name (RFC 9110, section 5.6.2).
func isToken(name string) bool {
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}
