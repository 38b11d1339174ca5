package modern

import (
	"net/http"
	"strconv"
	"strings"
)

// takesStream tells whether a client reads an event stream. All should (Streamable HTTP,
// Sending Messages); who does not say so gets JSON.
func takesStream(h http.Header) bool {
	for _, v := range h["Accept"] {
		for item := range strings.SplitSeq(v, ",") {
			media, params, _ := strings.Cut(item, ";")
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "text/event-stream", "text/*", "*/*":
				if !isRefused(params) {
					return true
				}
			}
		}
	}
	return false
}

// isRefused tells whether the parameters of a media range hold a quality of zero.
func isRefused(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		if k, v, _ := strings.Cut(strings.TrimSpace(p), "="); strings.EqualFold(k, "q") {
			q, err := strconv.ParseFloat(v, 64)
			return err == nil && q == 0
		}
	}
	return false
}
