package metrics

// Era is a protocol era; Unknown is only ever an upstream's.
type Era uint8

// The eras.
const (
	Legacy Era = iota
	Modern
	Unknown
	eraCount
)

var eraNames = [eraCount]string{"legacy", "modern", "unknown"}

// String gives the label.
func (e Era) String() string { return eraNames[e] }

// Outcome is how an exchange ended.
type Outcome uint8

// The outcomes of an exchange.
const (
	OK             Outcome = iota // a result went down, an isError result of the server's own among them
	Error                         // the server's own JSON-RPC error went down
	Limit                         // a limit of the loop tripped
	InputFailed                   // an ask got no usable answer
	Protocol                      // upstream broke the rules of the loop
	UpstreamFailed                // no usable reply came from upstream
	Cancelled                     // the client gave up, its session ended, or the proxy stops
	outcomeCount
)

var outcomeNames = [outcomeCount]string{"ok", "error", "limit", "input_failed", "protocol", "upstream_failed", "cancelled"}

// String gives the label.
func (o Outcome) String() string { return outcomeNames[o] }

// AttemptOutcome is what an attempt brought.
type AttemptOutcome uint8

// The outcomes of an attempt.
const (
	AttemptComplete AttemptOutcome = iota
	AttemptInputRequired
	AttemptError  // a JSON-RPC error
	AttemptFailed // no usable reply
	AttemptCancelled
	attemptOutcomeCount
)

var attemptOutcomeNames = [attemptOutcomeCount]string{"complete", "input_required", "error", "failed", "cancelled"}

// String gives the label.
func (o AttemptOutcome) String() string { return attemptOutcomeNames[o] }

// AskOutcome is what came of an ask, whatever a setting made of it afterwards.
type AskOutcome uint8

// The outcomes of an ask.
const (
	AskAccept AskOutcome = iota
	AskDecline
	AskCancel
	AskAnswered // sampling and roots
	AskError    // the source failed, or the client answered with an error of its own
	AskTimeout
	AskInvalid   // an answer that does not fit what was asked
	AskNoChannel // the client could not be asked
	AskRefused   // a rule's fail
	askOutcomeCount
)

var askOutcomeNames = [askOutcomeCount]string{"accept", "decline", "cancel", "answered", "error", "timeout", "invalid", "no_channel", "refused"}

// String gives the label.
func (o AskOutcome) String() string { return askOutcomeNames[o] }

// StreamKind is a kind of event stream towards a client.
type StreamKind uint8

// The kinds of streams.
const (
	StreamExchange StreamKind = iota // a reply that became a stream
	StreamStanding                   // the GET stream of a session
	StreamHTTPSSE                    // the stream of the 2024-11-05 HTTP+SSE transport
	StreamListen                     // a modern client's subscriptions/listen
	streamKindCount
)

var streamKindNames = [streamKindCount]string{"exchange", "standing", "http_sse", "listen"}

// String gives the label.
func (k StreamKind) String() string { return streamKindNames[k] }

// Direction is where a message was going.
type Direction uint8

// The directions.
const (
	Upstream   Direction = iota // towards the server
	Downstream                  // towards the client
	directionCount
)

var directionNames = [directionCount]string{"upstream", "downstream"}

// String gives the label.
func (d Direction) String() string { return directionNames[d] }

// DropReason is why a message was not passed on.
type DropReason uint8

// The reasons.
const (
	DropServerRequest DropReason = iota // a JSON-RPC request from a modern server, which may not send one
	DropLateAnswer                      // an answer nobody waits for: late, twice, or to a question never asked
	DropUnmatched                       // a response or notification that belongs to no open request
	DropMalformed                       // no valid JSON-RPC message
	DropUnsupported                     // the session's revision has no form for it
	DropNoStream                        // no stream is open that it could go on
	DropOverflow                        // a bounded buffer or table was full
	DropSlowReader                      // the client did not read in time
	DropBroken                          // a reply that had begun to stream could not be finished
	dropReasonCount
)

var dropReasonNames = [dropReasonCount]string{"server_request", "late_answer", "unmatched", "malformed", "unsupported", "no_stream", "overflow", "slow_reader", "broken_reply"}

// String gives the label.
func (r DropReason) String() string { return dropReasonNames[r] }
