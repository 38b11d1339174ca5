package wire

// Role says whose messages are scanned.
type Role uint8

// The roles.
const (
	FromClient Role = iota
	FromServer
)

// Kind is what a message is.
type Kind uint8

// The kinds of messages.
const (
	Request Kind = iota + 1
	Notification
	Result
	ErrorResponse
)

// Ending is what resultType says.
type Ending uint8

// The endings. Unsaid (no resultType) is as good as Complete; Unknown is any other
// value (Multi Round-Trip Requests).
const (
	Unsaid Ending = iota
	Complete
	InputRequired
	Unknown
)

// Found is where the members of a message are: raw values, as offsets into the
// message. Kind is set by End, every other field as soon as its value has ended.
type Found struct {
	Kind Kind

	// Newlines: a raw CR or LF stands between two tokens, so that the message cannot
	// go on one data: line as it is.
	Newlines bool

	// Ending is what resultType said so far.
	Ending Ending
	// Settled: the name of a member that input_required never has went by in result
	// (content, structuredContent, contents, messages).
	Settled bool

	ID, Method, Params, Result, Error Span

	// Of params. ProgressToken is that of params._meta from a client, and of params
	// itself from a server.
	Name, URI, Arguments, Meta, Level, RequestID, Progress, ProgressToken, Task, InputResponses Span

	// Of params._meta: the protocol's own members without their prefix.
	ProtocolVersion, ClientInfo, ClientCapabilities, LogLevel, SubscriptionID, Traceparent Span

	// Of result. RequestState is that of params from a client.
	ResultType, InputRequests, RequestState, Content, StructuredContent, ResultMeta Span

	// EndedSubscription is the subscription id in _meta of result.
	EndedSubscription Span
}
