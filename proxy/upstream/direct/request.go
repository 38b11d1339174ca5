package direct

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

var errHeader = errors.New("direct: a header cannot be sent")

// appendRequest appends a request as it goes over the wire, with its body, which is closed.
func appendRequest(b []byte, r *http.Request) ([]byte, error) {
	defer r.Body.Close()
	host := r.Host
	if host == "" {
		host = r.URL.Host
	}
	if cap(b) == 0 {
		b = make([]byte, 0, 512+len(r.URL.Path)+int(r.ContentLength))
	}
	var sound bool
	b = append(append(b, "POST "...), r.URL.RequestURI()...)
	b = append(b, " HTTP/1.1\r\n"...)
	if b, sound = appendHeader(b, "Host", host); !sound {
		return nil, errHeader
	}
	b = append(b, "Content-Length: "...)
	b = append(strconv.AppendInt(b, r.ContentLength, 10), "\r\n"...)
	for name, values := range r.Header {
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer": // the request's own, written above or not wanted
			continue
		}
		for _, v := range values {
			if b, sound = appendHeader(b, name, v); !sound {
				return nil, errHeader
			}
		}
	}
	b = append(b, "\r\n"...)
	for want := len(b) + int(r.ContentLength); len(b) < want; {
		if cap(b) < want {
			b = append(make([]byte, 0, want), b...)
		}
		n, err := r.Body.Read(b[len(b):want])
		if b = b[:len(b)+n]; err != nil && len(b) < want {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, fmt.Errorf("direct: the body: %w", err)
		}
	}
	return b, nil
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
