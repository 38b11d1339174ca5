package legacy

import (
	"net/http"
	"strconv"
	"strings"
)

// accept is what a client reads in reply to a POST.
type accept struct{ json, stream bool }

// accepts reads the Accept headers. None at all means JSON: a client that says
// nothing must not be surprised by a stream (RFC 9110, 12.5.1, would allow both).
func accepts(h http.Header) accept {
	values := h["Accept"]
	if len(values) == 0 {
		return accept{json: true}
	}
	if len(values) == 1 && values[0] == "application/json, text/event-stream" {
		return accept{json: true, stream: true}
	}
	var a accept
	for _, v := range values {
		for item := range strings.SplitSeq(v, ",") {
			media, params, _ := strings.Cut(item, ";")
			if refused(params) {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "*/*":
				a.json, a.stream = true, true
			case "application/json", "application/*":
				a.json = true
			case "text/event-stream", "text/*":
				a.stream = true
			}
		}
	}
	return a
}

// refused tells whether the parameters hold a quality of zero.
func refused(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		k, v, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(k, "q") {
			q, err := strconv.ParseFloat(v, 64)
			return err == nil && q == 0
		}
	}
	return false
}
