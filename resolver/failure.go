package resolver

import (
	"strconv"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// peerText is how many characters of a peer's own words a failure may carry.
const peerText = 100

// FailureKind says what ended a round trip.
type FailureKind uint8

// The kinds of failure.
const (
	RoundLimit   FailureKind = iota + 1 // a limit; Failure.Limit says which
	InputHandler                        // an ask without an answer; Failure.Key and Reason say which and why
	Protocol                            // the server broke the protocol
	ShuttingDown                        // this process is about to end
	OverBudget                          // a budget is used up; Failure.Budget says which
)

// String returns the kind as clients see it; "" for none.
func (k FailureKind) String() string {
	switch k {
	case RoundLimit:
		return "mrtr_round_limit"
	case InputHandler:
		return "input_handler"
	case Protocol:
		return "protocol"
	case ShuttingDown:
		return "shutting_down"
	case OverBudget:
		return "mrtr_budget"
	}
	return ""
}

// Reason says why an ask has no answer. Zero is none.
type Reason uint8

// The reasons of an InputHandler failure.
const (
	HandlerError    Reason = iota + 1 // the client answered with an error of its own
	InvalidResponse                   // the answer does not fit the ask
	Timeout                           // no answer in time
	NoChannel                         // the client cannot be asked
	Refused                           // a rule's fail
)

// String returns the reason as clients see it; "" for none.
func (r Reason) String() string {
	switch r {
	case HandlerError:
		return "handler_error"
	case InvalidResponse:
		return "invalid_response"
	case Timeout:
		return "timeout"
	case NoChannel:
		return "no_channel"
	case Refused:
		return "refused"
	}
	return ""
}

// Failure ends a round trip. It says enough for a person or a model to go on, and
// never holds requestState or an answer. A Failure is not changed once it is made.
type Failure struct {
	Kind   FailureKind
	Limit  Limit  // of a RoundLimit
	Reason Reason // of an InputHandler
	Key    string // the server's key of the ask concerned; "" for none
	Rounds int    // attempts made; Step fills it in
	Text   string // whole sentences, free of control characters

	// Budget is the name of the one that is used up, of an OverBudget, and RetryAfter how
	// long until it has enough again; 0 where that is not known.
	Budget     string
	RetryAfter time.Duration
}

// Error returns the text.
func (f *Failure) Error() string { return f.Text }

// AppendData appends the failure as the JSON object that a client's program can read,
// {"kind","limit","budget","retryAfter","reason","key","rounds"}; members that do not apply
// are left out. retryAfter is a text of whole seconds, as in an HTTP header.
func (f *Failure) AppendData(dst []byte) []byte {
	dst = append(dst, `{"kind":`...)
	dst = wire.AppendQuoted(dst, f.Kind.String())
	if f.Limit != 0 {
		dst = append(dst, `,"limit":`...)
		dst = wire.AppendQuoted(dst, f.Limit.String())
	}
	if f.Budget != "" {
		dst = append(dst, `,"budget":`...)
		dst = wire.AppendQuoted(dst, f.Budget)
	}
	if f.RetryAfter > 0 {
		dst = append(dst, `,"retryAfter":"`...)
		dst = strconv.AppendInt(dst, seconds(f.RetryAfter), 10)
		dst = append(dst, '"')
	}
	if f.Reason != 0 {
		dst = append(dst, `,"reason":`...)
		dst = wire.AppendQuoted(dst, f.Reason.String())
	}
	if f.Key != "" {
		dst = append(dst, `,"key":`...)
		dst = wire.AppendQuoted(dst, wire.Clean(f.Key, peerText))
	}
	dst = append(dst, `,"rounds":`...)
	dst = strconv.AppendInt(dst, int64(f.Rounds), 10)
	return append(dst, '}')
}

// with returns a copy that belongs to a round trip of so many rounds.
func (f *Failure) with(key string, rounds int) *Failure {
	var own Failure
	if f != nil {
		own = *f
	}
	if own.Key == "" {
		own.Key = key
	}
	own.Rounds = rounds
	return &own
}
