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
	var json, stream preference
	for _, v := range values {
		for item := range strings.SplitSeq(v, ",") {
			media, params, _ := strings.Cut(item, ";")
			read := !refused(params)
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "*/*":
				json.hear(1, read)
				stream.hear(1, read)
			case "application/*":
				json.hear(2, read)
			case "application/json":
				json.hear(3, read)
			case "text/*":
				stream.hear(2, read)
			case "text/event-stream":
				stream.hear(3, read)
			}
		}
	}
	return accept{json: json.read, stream: stream.read}
}

// preference is what the most specific range says about a type (RFC 9110, 12.5.1).
type preference struct {
	specific int
	read     bool
}

func (p *preference) hear(specific int, read bool) {
	if specific > p.specific {
		*p = preference{specific, read}
	} else if specific == p.specific {
		p.read = p.read || read
	}
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
