package transport

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
)

var errHeader = errors.New("a header cannot be sent")

// appendRequest appends a request as it goes over the wire, with its body.
func appendRequest(b []byte, r *Request) ([]byte, error) {
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	b = slices.Grow(b, 768+len(r.Body))
	var sound bool
	b = append(append(b, "POST "...), r.URL.RequestURI()...)
	b = append(b, " HTTP/1.1\r\n"...)
	if b, sound = appendHeader(b, "Host", host); !sound {
		return nil, errHeader
	}
	b = append(b, "Content-Length: "...)
	b = append(strconv.AppendInt(b, int64(len(r.Body)), 10), "\r\n"...)
	if b, sound = appendHeaders(b, r.Header); !sound {
		return nil, errHeader
	}
	return append(append(b, "\r\n"...), r.Body...), nil
}

func appendHeaders(b []byte, h http.Header) (_ []byte, sound bool) {
	for name, values := range h {
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer": // the request's own
			continue
		}
		for _, v := range values {
			if b, sound = appendHeader(b, name, v); !sound {
				return nil, false
			}
		}
	}
	return b, true
}

// appendHeader appends a header. It tells whether it is one (RFC 9110, 5.1 and 5.5): nothing that could end it.
func appendHeader(b []byte, name, value string) ([]byte, bool) {
	if name == "" {
		return b, false
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || c == ':' {
			return b, false
		}
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return b, false
		}
	}
	b = append(append(b, name...), ": "...)
	return append(append(b, value...), "\r\n"...), true
}
