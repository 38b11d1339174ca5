package upstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"syscall"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// Reason is why an attempt or a probe failed.
type Reason uint8

// The reasons.
const (
	Dial              Reason = iota + 1 // no connection: nothing reached the server
	Timeout                             // silence
	Status                              // an HTTP status that is no success, without a JSON-RPC error
	ContentType                         // neither JSON nor an event stream
	Encoding                            // a content encoding nobody asked for
	Empty                               // success without a body
	Malformed                           // no valid JSON-RPC response
	WrongID                             // a response to another id
	Cut                                 // the connection or the stream ended before the response had come
	TooLarge                            // a message over max_message_bytes
	Redirect                            // a redirect that is not followed
	Unauthorized                        // 401 or 403 to the client's credential, or to none
	MissingCapability                   // -32021
	HeaderMismatch                      // -32020, also after the retry
	NoCommonVersion                     // -32022, or server/discover names no version of ours
	Protocol                            // a result that breaks the rules of the loop
	Broken                              // a reply that had begun to go down could not be finished
	Cancelled                           // the caller's context ended
	WrongEra                            // the server is a legacy one
	Refused                             // a JSON-RPC error, where there is no client to pass it on to
	OwnCredential                       // 401 or 403 on a route where clients' credentials do not go up
)

// Error is why there is no response, in the form a client may see.
type Error struct {
	Reason Reason

	Status     int      // HTTP status; 0 when none came
	RetryAfter string   // as the server sent it, cleaned
	Challenge  []string // of a 401 or 403, as it came: Challenges gives what may be passed on

	Code    int    // JSON-RPC code for the client
	Message string // short and clean: what was tried and what came of it; never the server's body
	Data    []byte // raw JSON for the error's data, or nil

	Sent bool // the request may have reached the server

	common bool // with NoCommonVersion: the server names our version all the same
	passed bool // something of the attempt has gone to the sink
	cause  error
}

// Error tells the message.
func (e *Error) Error() string { return e.Message }

// Unwrap gives what was behind it, for the log: it may show addresses.
func (e *Error) Unwrap() error { return e.cause }

// fail makes an error of the attempt.
func (a *attempt) fail(why Reason, text string) *Error { return a.because(why, text, nil) }

func (a *attempt) because(why Reason, text string, cause error) *Error {
	e := &Error{
		Reason: why, Status: a.status, Code: wire.CodeInternal,
		Message: wire.Clean(a.call.Method, 60) + ": " + text,
		Sent:    why != Dial, passed: a.passed, cause: cause,
	}
	if why == Status {
		e.Data = statusData(e.Status, "")
	}
	return e
}

// statusText tells the HTTP status.
func (a *attempt) statusText() string {
	text := "upstream answered HTTP " + strconv.Itoa(a.status)
	if name := http.StatusText(a.status); name != "" {
		text += " (" + name + ")"
	}
	return text
}

func statusData(status int, retryAfter string) []byte {
	b := strconv.AppendInt([]byte(`{"status":`), int64(status), 10)
	if retryAfter != "" {
		b = wire.AppendQuoted(append(b, `,"retryAfter":`...), retryAfter)
	}
	return append(b, '}')
}

// retryAfter keeps what the server said about when to come back.
func (a *attempt) retryAfter(e *Error, resp *http.Response) {
	if e.Reason != Status {
		return
	}
	e.RetryAfter = wire.Clean(resp.Header.Get("Retry-After"), 100)
	e.Data = statusData(e.Status, e.RetryAfter)
}

// malformed is what is no JSON-RPC message.
func (a *attempt) malformed(err error) *Error {
	if !a.success() {
		return a.because(Status, a.statusText(), err)
	}
	reason := "invalid message"
	if fault := (*wire.Error)(nil); errors.As(err, &fault) {
		reason = fault.Reason.String()
	}
	return a.because(Malformed, "upstream's answer is no JSON-RPC message ("+reason+")", err)
}

func (a *attempt) wrongID() *Error {
	if !a.success() {
		return a.fail(Status, a.statusText())
	}
	return a.fail(WrongID, "upstream answered another request")
}

func (a *attempt) tooLarge() *Error {
	if !a.success() {
		return a.fail(Status, a.statusText())
	}
	return a.fail(TooLarge, fmt.Sprintf("upstream's message is larger than max_message_bytes (%d)", a.u.o.MaxMessageBytes))
}

// unanswered is the failure of a request that got no HTTP response.
func (a *attempt) unanswered(err error) *Error {
	if e := a.interrupted(err); e != nil {
		return e
	}
	if text, dialled := dialText(err); dialled {
		return a.because(Dial, "upstream cannot be reached: "+text, err)
	}
	return a.because(Cut, "upstream broke off before it answered", err)
}

// cutOff is the failure of a body that could not be read to its end.
func (a *attempt) cutOff(err error) *Error {
	if e := a.interrupted(err); e != nil {
		return e
	}
	if isCompression(err) {
		return a.because(Malformed, "upstream's answer is no valid gzip", err)
	}
	return a.because(Cut, "upstream broke off in the middle of its answer", err)
}

// interrupted is the failure of an attempt that was given up here: for the server's silence, or since its context has ended.
func (a *attempt) interrupted(err error) *Error {
	cause := deadline.Cause(a.ctx)
	switch {
	case errors.Is(err, transport.ErrSilence), errors.Is(cause, transport.ErrSilence):
		return a.because(Timeout, "upstream was silent for "+a.u.o.patience(a.call.Method).String(), err)
	case cause != nil:
		return a.because(Cancelled, "cancelled", cause)
	}
	return nil
}

// dialText tells in a few words why there is no connection, and whether that is what happened.
func dialText(err error) (string, bool) {
	var (
		dns  *net.DNSError
		op   *net.OpError
		cert *tls.CertificateVerificationError
		rec  tls.RecordHeaderError
		host x509.HostnameError
	)
	switch {
	case errors.As(err, &dns):
		return "its name cannot be resolved", true
	case errors.As(err, &cert), errors.As(err, &host):
		return "its certificate is not trusted", true
	case errors.As(err, &rec):
		return "it does not speak TLS", true
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return opText(op), true
	}
	return "", false
}

func opText(op *net.OpError) string {
	switch {
	case errors.Is(op, syscall.ECONNREFUSED):
		return "connection refused"
	case op.Timeout():
		return "no answer to the connection"
	}
	return "no connection"
}
