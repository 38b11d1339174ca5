package transport

import (
	"bytes"
	"net/http"
	"strconv"
)

const (
	plainStatus = "HTTP/1.1 200 "
	lineEnd     = "\r\n"
	headEnd     = lineEnd + lineEnd
)

// plain takes in the head of a response that is like most: a 200 whose body has a length, and which has come with one
// reading. Any other is left where it is, for net/http, and nil returned. Of the headers it keeps Content-Type alone; a
// response is not plain when it has another one that says something about its body or its connection.
func (c *conn) plain() *http.Response {
	head, _ := c.in.Peek(c.in.Buffered())
	end := bytes.Index(head, []byte(headEnd))
	if end < 0 || !bytes.HasPrefix(head, []byte(plainStatus)) {
		return nil
	}
	lines := head[len(plainStatus) : end+len(lineEnd)]
	phrase, lines, _ := bytes.Cut(lines, []byte(lineEnd))
	if !isText(phrase) {
		return nil
	}
	var media []byte
	length := int64(-1)
	for len(lines) > 0 {
		var line []byte
		line, lines, _ = bytes.Cut(lines, []byte(lineEnd))
		name, value, ok := field(line)
		if !ok {
			return nil
		}
		switch concernOf(name) {
		case framing:
			return nil
		case connection:
			if !bytes.EqualFold(value, []byte("keep-alive")) {
				return nil
			}
		case contentType:
			if media != nil {
				return nil
			}
			media = value
		case contentLength:
			if length >= 0 || len(value) > 15 {
				return nil
			}
			n, err := strconv.ParseUint(string(value), 10, 63)
			if err != nil {
				return nil
			}
			length = int64(n)
		}
	}
	if length < 0 || len(media) == 0 {
		return nil
	}
	if string(media) != c.media {
		c.media = string(media)
		c.header = http.Header{"Content-Type": {c.media}}
	}
	_, _ = c.in.Discard(end + len(headEnd))
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: c.header, ContentLength: length,
	}
}

// concern is what a header is about.
type concern uint8

const (
	elsewhere concern = iota
	framing           // of the body, or else something that net/http has to see
	connection
	contentType
	contentLength
)

func concernOf(name []byte) concern {
	is := func(s string) bool { return bytes.EqualFold(name, []byte(s)) }
	switch len(name) {
	case len("Content-Type"):
		if is("Content-Type") {
			return contentType
		}
	case len("Content-Length"):
		if is("Content-Length") {
			return contentLength
		}
	case len("Connection"):
		if is("Connection") {
			return connection
		}
	case len("Transfer-Encoding"), len("Content-Encoding"), len("Trailer"), len("Retry-After"):
		if is("Transfer-Encoding") || is("Content-Encoding") || is("Trailer") || is("Upgrade") || is("Retry-After") {
			return framing
		}
	}
	return elsewhere
}

// field takes a header line apart (RFC 9112, 5). It is not ok when net/http might see it otherwise.
func field(line []byte) (name, value []byte, ok bool) {
	name, value, ok = bytes.Cut(line, []byte{':'})
	if !ok || len(name) == 0 {
		return nil, nil, false
	}
	for _, c := range name {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return nil, nil, false
		}
	}
	return name, bytes.Trim(value, " \t"), isText(value)
}

// isText tells that there are no control characters.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
