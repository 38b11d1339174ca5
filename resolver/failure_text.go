package resolver

import (
	"fmt"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// ruleText is how many characters of a rule's own message a failure may carry.
const ruleText = 500

// LimitFailure is the failure of a limit that is held outside of Step: the open round
// trips.
func LimitFailure(l Limit, limits Limits) *Failure { return tripped(l, limits, 0) }

// ProtocolFailure says that the server broke the protocol. The detail is a sentence
// without its full stop; a peer's words in it must be clean already.
func ProtocolFailure(detail string) *Failure {
	return protocolFailure("", detail)
}

// AskFailure says that an ask has no answer. The detail is what the client said (for
// HandlerError, with the code first), what does not fit (for InvalidResponse), why
// nobody can be asked (for NoChannel) or the rule's message (for Refused); it is
// cleaned and cut here, and may be empty.
func AskFailure(a Ask, r Reason, detail string) *Failure {
	room := peerText
	if r == Refused {
		room = ruleText
	}
	text := "The server's " + question(a.Kind, a.Key) + " " + outcome(r)
	if d := strings.TrimSpace(wire.Clean(detail, room)); d != "" {
		text += ": " + d
	}
	return &Failure{Kind: InputHandler, Reason: r, Key: a.Key, Text: stop(text) + advice(r)}
}

// ShutdownFailure says that this process is about to end.
func ShutdownFailure() *Failure {
	return &Failure{Kind: ShuttingDown, Text: "The proxy is shutting down. Send the request again in a moment."}
}

// BudgetFailure says that a budget is used up, and for how long.
func BudgetFailure(name string, wait time.Duration) *Failure {
	return &Failure{Kind: OverBudget, Budget: name, RetryAfter: wait,
		Text: fmt.Sprintf("Stopped by the budget %s: it is used up. Send the request again in %s, or have the budget raised.", quoted(name), short(time.Duration(seconds(wait))*time.Second))}
}

// seconds rounds up, so that nobody comes back too early.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

func outcome(r Reason) string {
	switch r {
	case HandlerError:
		return "was answered by the client with an error"
	case InvalidResponse:
		return "got an answer that does not fit"
	case Timeout:
		return "was not answered in time"
	case NoChannel:
		return "cannot be put to this client"
	case Refused:
		return "is refused here"
	}
	return "has no answer"
}

func advice(r Reason) string {
	switch r {
	case InvalidResponse, Timeout:
		return " Send the request again to be asked again."
	case NoChannel:
		return " Send a request that accepts text/event-stream, or have a rule answer this."
	}
	return ""
}

// tripped is the failure of a limit; got is the count or size that was too much, where
// there is one.
func tripped(l Limit, limits Limits, got int64) *Failure {
	said := func(allowed any, why string) *Failure {
		return &Failure{Kind: RoundLimit, Limit: l, Text: fmt.Sprintf("Stopped by the limit %s (%v): %s", l, allowed, why)}
	}
	switch l {
	case MaxRounds:
		return said(limits.MaxRounds, "the server keeps asking for input. Put what it asks for into the request, or have the limit raised.")
	case MaxStateOnlyRounds:
		return said(limits.MaxStateOnlyRounds, "the server is still not ready. Send the request again later.")
	case MaxInputRequests:
		allowed := min(limits.MaxInputRequests, MostInputRequests)
		return said(allowed, fmt.Sprintf("the server asks for %d inputs at once. Ask it for less in one request, or have the limit raised.", got))
	case MaxTotalInputRequests:
		return said(limits.MaxTotalInputRequests, fmt.Sprintf("the server asks for %d inputs in all. Ask it for less in one request, or have the limit raised.", got))
	case MaxRequestStateBytes:
		return said(limits.MaxRequestStateBytes, fmt.Sprintf("the server's requestState has %d bytes. The server must send less, or the limit be raised.", got))
	case MaxInputRequiredBytes:
		return said(limits.MaxInputRequiredBytes, fmt.Sprintf("the server's request for input has %d bytes. The server must send less, or the limit be raised.", got))
	case MaxRoundTripTime:
		return said(short(limits.MaxRoundTripTime), "the request took too long, its questions included. Send it again.")
	case InputTimeout:
		return said(short(limits.InputTimeout), "a question was not answered in time. Send the request again.")
	case MaxOpenRoundTrips:
		return said(limits.MaxOpenRoundTrips, "too many requests wait for input. Send the request again later.")
	case MaxOpenRoundTripsPerSession:
		return said(limits.MaxOpenRoundTripsPerSession, "too many requests of this session wait for input. Answer or cancel one of them first.")
	}
	return said("-", "a limit was reached.")
}

// protocolFailure blames the server; key may be "".
func protocolFailure(key, detail string) *Failure {
	return &Failure{Kind: Protocol, Key: key, Text: stop("The server broke the protocol: "+detail) + " Sending the request again is not likely to help."}
}

// question names an ask: its kind, and its key in the server's own words.
func question(k wire.AskKind, key string) string {
	return kindText(k) + " request " + quoted(key)
}

func kindText(k wire.AskKind) string {
	switch k {
	case wire.ElicitationForm:
		return "elicitation (form)"
	case wire.ElicitationURL:
		return "elicitation (link)"
	case wire.Sampling:
		return "sampling"
	case wire.Roots:
		return "roots"
	}
	return "input"
}

// quoted puts a peer's words into quotes, cleaned and cut.
func quoted(s string) string { return `"` + wire.Clean(s, peerText) + `"` }

// stop ends a sentence, whatever its last words bring along.
func stop(s string) string { return strings.TrimRight(s, ".!? ") + "." }

// short is a duration without its zero parts: 30m, not 30m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
