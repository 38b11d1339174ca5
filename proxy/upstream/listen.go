package upstream

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// listen is one subscriptions/listen: a request whose stream stays open (MCP, Subscriptions). It is its attempt's sink.
// The server has the route's time to acknowledge it; from then on silence means nothing, and a peer that is gone is found
// by TCP keep-alive.
type listen struct {
	filter *filter // what is asked for; set before it is sent
	to     listener
	stop   context.CancelFunc

	acknowledged bool // the rest is for the goroutine that reads
	refused      *Error
}

// listener takes what a listen brings, on the goroutine that reads it.
type listener interface {
	// stands tells that the server has acknowledged, and what of the filter it honours.
	stands(l *listen, honoured *filter)
	// announce takes a notification of one of the four kinds that can be listened for. m is valid during the call. It is
	// false when nobody asked for that.
	announce(l *listen, m *wire.Scanner) bool
}

// listen sends the request and reads its stream until it ends; an end by the server's own response is no error. l is used
// once.
func (u *Upstream) listen(ctx context.Context, cred Credential, l *listen) *Error {
	call := u.discovery(cred)
	call.Method, call.Params = wire.MethodListen, l.filter.params()
	err := u.attempt(ctx, call, Retry{}, l, new(Result))
	if err == nil {
		err = l.refused
	}
	return err
}

// Notify implements Sink: nothing that belongs to a request comes on a listen.
func (l *listen) Notify(*wire.Scanner) {}

// Stream implements Sink.
func (l *listen) Stream(int64) (io.Writer, []byte, bool) { return nil, nil, false }

// Reply implements Sink: it ends the listen.
func (l *listen) Reply(m *wire.Scanner) error {
	if m.Kind == wire.ErrorResponse {
		raw := m.Error.Of(m.Bytes())
		code, _ := strconv.Atoi(string(wire.Get(raw, "code")))
		text, _ := wire.Unquote(wire.Get(raw, "message"))
		l.refused = &Error{
			Reason: Refused, Code: code, Sent: true,
			Message: wire.MethodListen + ": upstream answered with error " + strconv.Itoa(code) + ": " + wire.Clean(text, 100),
		}
	}
	return nil
}

// take takes a notification of the listen's stream. It is true when that is its end.
func (l *listen) take(a *attempt) (over bool) {
	s := &a.scan
	if !isOf(s.SubscriptionID.Of(s.Bytes()), a.id) {
		a.drop(metrics.DropUnmatched, "a notification of another listen")
		return false
	}
	switch s.MethodName() {
	case wire.NotifyAcknowledged:
		if !l.acknowledged {
			l.stands(a, readFilter(wire.Get(s.Params.Of(s.Bytes()), "notifications")))
		}
	case wire.NotifyCancelled: // how a server tears a listen down (MCP, Cancellation)
		return s.RequestID.IsSet() && isOf(s.RequestID.Of(s.Bytes()), a.id)
	case wire.NotifyToolsChanged, wire.NotifyPromptsChanged, wire.NotifyResourcesChanged, wire.NotifyResourceUpdated:
		if !l.acknowledged { // some server forgets to
			l.stands(a, l.filter)
		}
		if !l.to.announce(l, s) {
			a.drop(metrics.DropUnmatched, "a notification that was not asked for")
		}
	default:
		a.drop(metrics.DropUnmatched, "a notification that cannot be listened for")
	}
	return false
}

func (l *listen) stands(a *attempt, honoured *filter) {
	l.acknowledged = true
	a.resp.Indulge()
	a.accept()
	l.to.stands(l, honoured)
}

// isOf tells whether a subscription id is that of the listen. Each has a stream of its own, so none at all will do, and so
// does one that a server keeps as text.
func isOf(raw, id []byte) bool {
	return raw == nil || bytes.Equal(raw, id) || bytes.Equal(bytes.Trim(raw, `"`), id)
}

// ending is how a listen came to its end, as far as that matters for the next one.
type ending uint8

const (
	brokeOff  ending = iota // it broke off, or the server could not be reached
	finished                // the server ended it
	unwanted                // the server does not take it as it is
	forbidden               // the server does not take the credential
)

// endingOf reads the failure of a listen, or of the discovery before it; nil is none.
func endingOf(err *Error) ending {
	if err == nil {
		return finished
	}
	switch err.Reason {
	case Unauthorized, OwnCredential:
		if err.Status == http.StatusUnauthorized {
			return forbidden
		}
		return unwanted
	case Refused, MissingCapability, HeaderMismatch, NoCommonVersion, Protocol, WrongEra, ContentType, Redirect:
		return unwanted
	case Status:
		if err.Status >= 400 && err.Status < 500 && tells(err.Status) {
			return unwanted
		}
	}
	return brokeOff
}
