package upstream

import (
	"encoding/json"
	"io"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Call is a client's request, ready to be sent any number of times. It is not changed by an attempt, and must not be while
// one runs.
type Call struct {
	// Request is the client's message, scanned FromClient; nil for a request of the proxy's own, which has Method and Params.
	Request *wire.Scanner
	// Params is the raw params object of a request of the proxy's own, without _meta; nil is none.
	Params []byte

	Method string
	Name   string // of the tool or prompt, or the resource's URI: decoded; "" for other methods
	// Meta holds the members of params._meta that the proxy answers for (protocolVersion, clientInfo, clientCapabilities,
	// logLevel …), raw, without braces.
	Meta []byte
	// Progress asks for progress notifications: each attempt mints a token of its own.
	Progress bool
	// Passed is set for the request of a modern client; Meta is not used then.
	Passed *Passed

	// Trace is the id of the trace that attempts are counted with; "" is none.
	Trace string

	Credential Credential
}

// Retry is what an attempt carries beyond the request itself; the zero value is a first attempt.
type Retry struct {
	Responses json.RawMessage // inputResponses, nil leaves it out
	State     json.RawMessage // requestState, a raw JSON string, nil leaves it out
}

// Sink takes what an attempt brings, on the goroutine that called Attempt.
type Sink interface {
	// Notify takes a notifications/progress (of this attempt's token) or notifications/message. m is valid during the call.
	Notify(m *wire.Scanner)
	// Reply takes the final response, whole: a result that is complete, or a JSON-RPC error to be passed on. m is valid
	// during the call. An error it returns becomes Broken.
	Reply(m *wire.Scanner) error
	// Stream is asked at most once in an attempt, for a long result whose length is known and which can no longer turn out
	// to be an input_required. With ok, w gets the response in pieces under id, the client's raw id, and there is no Reply:
	// the attempt's return is the end of it, and an error then is always Broken. So that its length can be told before it has
	// come, it has size bytes and those of the id: blanks at the end make up for what is cut out of it.
	Stream(size int64) (w io.Writer, id []byte, ok bool)
}

// Flusher is a Sink that may keep what it is notified of until Flush, which is called when no more is at hand.
type Flusher interface{ Flush() }

// Outcome is what an attempt brought.
type Outcome uint8

// The outcomes.
const (
	Complete      Outcome = iota + 1 // a final result has gone to the sink
	RPCError                         // a JSON-RPC error has gone to the sink
	InputRequired                    // the server needs input; nothing has gone to the sink but notifications
)

// Result is what an attempt brought. The raw members are the caller's own memory.
type Result struct {
	Outcome Outcome

	Requests json.RawMessage // inputRequests of an input_required, unchecked; nil when absent
	State    json.RawMessage // requestState of it, unchecked; nil when absent
	Size     int             // bytes of that result object
	Whole    json.RawMessage // that result object, when the request is Passed

	ResultType string // as the server said it, decoded; "" when it did not
	status     int    // HTTP status
}
