package upstream

import (
	"slices"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// conclude makes of the response that has come whole what the attempt brought.
func (a *attempt) conclude() *Error {
	s := &a.scan
	switch s.Kind {
	case wire.ErrorResponse:
		if id := s.ID.Of(s.Bytes()); id != nil && string(id) != "null" && !a.mine(s.ID) {
			return a.wrongID()
		}
		return a.concludeError()
	case wire.Result:
		switch {
		case !a.success():
			return a.fail(Status, a.statusText())
		case !a.mine(s.ID):
			return a.wrongID()
		}
		return a.concludeResult()
	}
	if !a.success() {
		return a.fail(Status, a.statusText())
	}
	return a.fail(Malformed, "upstream's answer is not a response")
}

// value is a member of the message that comes in, nil when it is absent. Of a reply that goes down in pieces it must not be
// forgotten yet.
func (a *attempt) value(s wire.Span) []byte {
	if !s.IsSet() {
		return nil
	}
	return wire.Span{Lo: s.Lo - a.forgotten, Hi: s.Hi - a.forgotten}.Of(a.scan.Bytes())
}

// mine tells whether a response is to this attempt.
func (a *attempt) mine(id wire.Span) bool { return string(a.value(id)) == string(a.id) }

// final tells whether resultType, as far as it is known, ends the loop: absent, complete, or one that the route takes for
// final (Multi Round-Trip Requests: absent is complete, unknown values are invalid).
func (a *attempt) final(s *wire.Scanner) bool {
	switch s.Ending {
	case wire.Unsaid, wire.Complete:
		return true
	case wire.Unknown:
		value, ok := wire.Unquote(a.value(s.ResultType))
		return ok && slices.Contains(a.u.o.ResultTypes, value)
	}
	return false
}

// resultType is what the result says it is.
func (a *attempt) resultType() string {
	switch a.scan.Ending {
	case wire.Unsaid:
		return ""
	case wire.Complete:
		return "complete"
	case wire.InputRequired:
		return "input_required"
	}
	value, _ := wire.Unquote(a.value(a.scan.ResultType))
	return value
}

// concludeResult tells a final result from one that needs input.
func (a *attempt) concludeResult() *Error {
	s := &a.scan
	if a.final(s) {
		a.accept()
		if a.call.Method == wire.MethodToolsList && a.call.Request != nil {
			a.u.learn(a.call, s, a.number-1)
		}
		return a.reply(Complete)
	}
	if s.Ending != wire.InputRequired || !wire.MayAsk(a.call.Method) {
		return a.notFinal()
	}
	a.accept()
	msg := s.Bytes()
	a.res = Result{
		Outcome: InputRequired, ResultType: a.resultType(),
		Requests: slices.Clone(s.InputRequests.Of(msg)),
		State:    slices.Clone(s.RequestState.Of(msg)),
		Size:     s.Result.Hi - s.Result.Lo,
		Whole:    a.whole(),
	}
	return nil
}

// notFinal is the failure of a result whose resultType must not be, or must not be here.
func (a *attempt) notFinal() *Error {
	if a.scan.Ending == wire.InputRequired {
		return a.fail(Protocol, "upstream asked for input, which it must not on this method")
	}
	raw := a.value(a.scan.ResultType)
	shown, ok := wire.Unquote(raw)
	if !ok {
		shown = string(raw[:min(len(raw), 400)])
	}
	return a.fail(Protocol, "upstream answered with an unknown resultType: "+wire.Clean(shown, 100))
}

// reply hands the final response to the sink.
func (a *attempt) reply(o Outcome) *Error {
	a.passed = true
	kind := a.resultType()
	if err := a.sink.Reply(&a.scan); err != nil {
		return a.because(Broken, "the reply could not be passed on", err)
	}
	a.res = Result{Outcome: o, ResultType: kind}
	return nil
}
