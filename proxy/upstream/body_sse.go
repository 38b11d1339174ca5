package upstream

import (
	"errors"
	"io"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// errEnough ends the reading of a stream: its response has come, or a fault.
var errEnough = errors.New("the stream has told all that is needed")

// readEvents takes in an event stream up to its response (MCP, Streamable HTTP, Receiving Messages).
func (a *attempt) readEvents(body io.Reader) *Error {
	if a.read == nil {
		a.read = make([]byte, 16<<10)
	}
	e := events{a: a}
	defer e.forget()
	var reader wire.EventReader
	flusher, _ := a.sink.(Flusher)
	for {
		n, err := body.Read(a.read)
		enough := n > 0 && reader.Feed(a.read[:n], &e) != nil
		if flusher != nil {
			flusher.Flush()
		}
		if enough {
			return e.err // only events ends the reading, and says why
		}
		switch {
		case err == io.EOF && !a.success():
			return a.fail(Status, a.statusText())
		case err == io.EOF:
			return a.fail(Cut, "upstream ended its stream without a response")
		case err != nil:
			return a.cutOff(err)
		}
	}
}

// events takes the events of a stream as they come. The data of one goes straight to the scanner.
type events struct {
	a    *attempt
	open bool  // the scanner holds data of the event under way
	bad  error // why that is no message; whether it had to be one is known when the event is over

	err *Error
}

// Data takes a piece of the data of the event under way.
func (e *events) Data(p []byte) error {
	if !e.open {
		e.a.begin()
		e.open, e.bad = true, nil
	}
	if e.a.tooLong(int64(e.a.scan.Len()) + int64(len(p))) {
		e.err = e.a.tooLarge()
		return errEnough
	}
	if e.bad == nil {
		e.bad = e.a.scan.Feed(p)
	}
	return nil
}

// Comment is a sign of life, and so is every byte: nothing is left to do.
func (e *events) Comment() {}

// Dispatch takes the end of an event. Types other than message, and empty data, say nothing to a client.
func (e *events) Dispatch(kind string) error {
	defer e.forget()
	if !e.open || kind != "" && kind != "message" || e.a.scan.Len() == 0 {
		return nil
	}
	if e.bad == nil {
		e.bad = e.a.scan.End()
	}
	if e.bad != nil {
		return e.garbage()
	}
	switch e.a.scan.Kind {
	case wire.Result, wire.ErrorResponse:
		e.err = e.a.conclude()
		return errEnough
	case wire.Request:
		e.a.drop(metrics.DropServerRequest, "a request of the server")
	case wire.Notification:
		if l, ok := e.a.sink.(*listen); !ok {
			e.notify()
		} else if l.take(e.a) {
			e.a.res = Result{Outcome: Complete}
			return errEnough
		}
	}
	return nil
}

// garbage is data that is no message. What is no JSON at all is some server's idea of a keep-alive; anything else may have
// been the response, and waiting for another would be in vain.
func (e *events) garbage() error {
	if first := firstByte(e.a.scan.Bytes()); first != '{' && first != '[' {
		e.a.drop(metrics.DropMalformed, "data that is no message")
		return nil
	}
	e.err = e.a.malformed(e.bad)
	return errEnough
}

func firstByte(b []byte) byte {
	for _, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
			continue
		}
		return c
	}
	return 0
}

// notify passes a notification on, if it is one of the two that belong to a request's own stream.
func (e *events) notify() {
	s := &e.a.scan
	switch s.MethodName() {
	case wire.NotifyProgress:
		if !e.a.call.Progress || string(s.ProgressToken.Of(s.Bytes())) != string(e.a.id) {
			e.a.drop(metrics.DropUnmatched, "progress of another request")
			return
		}
	case wire.NotifyMessage:
	default:
		if e.a.call.Method == wire.MethodListen && e.a.call.Passed != nil {
			e.a.resp.Indulge() // it stands
			break
		}
		e.a.drop(metrics.DropUnmatched, "a notification that does not belong to a request")
		return
	}
	e.a.passed = true
	e.a.sink.Notify(s)
}

// forget makes ready for the next event.
func (e *events) forget() {
	if e.open {
		e.a.end()
		e.open = false
	}
}

// drop counts a message that goes no further.
func (a *attempt) drop(why metrics.DropReason, what string) {
	if a.u.o.Dropped != nil {
		a.u.o.Dropped(metrics.Downstream, why)
	}
	a.u.log.Debug("dropped "+what, zap.String("method", wire.Clean(a.call.Method, 60)))
}
