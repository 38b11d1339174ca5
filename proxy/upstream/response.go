package upstream

import (
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// receive takes in an answer by its status and media type (MCP, Streamable HTTP, Receiving Messages).
func (a *attempt) receive(resp *transport.Response) *Error {
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		settle(resp)
		return a.unauthorized(resp.Response)
	}
	media := mediaType(resp.Header)
	if media == mediaOther || media == mediaNone && !a.success() {
		err := a.noMessage(resp.Response)
		settle(resp)
		return err
	}
	body, length, fault := a.decoded(resp.Response)
	if fault != nil {
		return fault
	}
	if media == mediaEvents {
		if fault = a.readEvents(body); fault == nil || fault.Reason != Timeout && fault.Reason != Cancelled {
			settle(resp)
		}
	} else {
		fault = a.readJSON(body, length)
	}
	if fault != nil {
		a.retryAfter(fault, resp.Response)
	}
	a.res.status = a.status
	return fault
}

// success tells a 2xx.
func (a *attempt) success() bool { return a.status >= 200 && a.status <= 299 }

// noMessage is the failure of an answer that is no JSON-RPC message by its type alone.
func (a *attempt) noMessage(resp *http.Response) *Error {
	var err *Error
	switch {
	case !a.success():
		err = a.fail(Status, a.statusText())
	case resp.ContentLength == 0 || resp.StatusCode != http.StatusOK && resp.ContentLength < 0:
		err = a.fail(Empty, a.statusText()+" without a response")
	default:
		name, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
		err = a.fail(ContentType, a.statusText()+" with content of type "+wire.Clean(name, 100)+", neither JSON nor an event stream")
	}
	a.retryAfter(err, resp)
	return err
}

type media uint8

const (
	mediaNone media = iota // no type: taken for JSON
	mediaJSON
	mediaEvents
	mediaOther
)

func mediaType(h http.Header) media {
	values := h["Content-Type"]
	if len(values) == 0 || values[0] == "" {
		return mediaNone
	}
	name, _, _ := strings.Cut(values[0], ";")
	switch name = strings.TrimSpace(name); {
	case strings.EqualFold(name, "application/json"):
		return mediaJSON
	case strings.EqualFold(name, "text/event-stream"):
		return mediaEvents
	}
	return mediaOther
}

const (
	// settleBytes and settleTime bound what is read of a body that nobody needs, so that its connection can serve again.
	settleBytes = 16 << 10
	settleTime  = 5 * time.Millisecond
)

// settle reads the rest of a body if it is short and at hand, and closes it. HTTP/2 needs no reading.
func settle(resp *transport.Response) {
	if resp.ProtoMajor == 1 && resp.ContentLength <= settleBytes {
		resp.Hurry(settleTime)
		_, _ = io.CopyN(io.Discard, resp.Body, settleBytes)
	}
	_ = resp.Body.Close()
}
