package wire

import "strconv"

// JSON-RPC error codes; the last three are the protocol's own (schema, error codes
// of 2026-07-28).
const (
	CodeParse              = -32700
	CodeInvalidRequest     = -32600
	CodeMethodNotFound     = -32601
	CodeInvalidParams      = -32602
	CodeInternal           = -32603
	CodeHeaderMismatch     = -32020
	CodeMissingCapability  = -32021
	CodeUnsupportedVersion = -32022
)

// Reason says why bytes are no message.
type Reason uint8

// The reasons.
const (
	// Syntax: not JSON (RFC 8259).
	Syntax Reason = iota + 1
	// UTF8: not UTF-8; UTF-16 and UTF-32 too.
	UTF8
	// Duplicate: a member twice in an object in which that is refused.
	Duplicate
	// Depth: nested deeper than MaxDepth.
	Depth
	// Batch: the message is an array, or a batch is empty or too long.
	Batch
	// Truncated: the message ends too early, or is empty.
	Truncated
	// NotAMessage: JSON, but no JSON-RPC message.
	NotAMessage
)

var reasonTexts = [...]string{
	0:           "invalid message",
	Syntax:      "invalid JSON",
	UTF8:        "invalid UTF-8",
	Duplicate:   "duplicate member",
	Depth:       "nested too deeply",
	Batch:       "batches are not accepted here",
	Truncated:   "message is incomplete",
	NotAMessage: "not a JSON-RPC message",
}

// String is a short text without anything of the message.
func (r Reason) String() string {
	if int(r) >= len(reasonTexts) {
		r = 0
	}
	return reasonTexts[r]
}

// Error is why a scan failed. Offset counts the bytes before the fault, from the
// first byte that was fed.
type Error struct {
	Reason Reason
	Offset int
}

// Error is a short text that holds nothing of the message.
func (e *Error) Error() string {
	return e.Reason.String() + " at byte " + strconv.Itoa(e.Offset)
}

// Code is the JSON-RPC code to answer with: CodeParse for what is no JSON text,
// CodeInvalidRequest for everything else.
func (e *Error) Code() int {
	switch e.Reason {
	case Syntax, UTF8, Truncated:
		return CodeParse
	}
	return CodeInvalidRequest
}

// AppendError appends a whole JSON-RPC error response. A nil id is written as null;
// nil data is left out.
func AppendError(dst, id []byte, code int, message string, data []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendQuoted(dst, message)
	if data != nil {
		dst = append(dst, `,"data":`...)
		dst = append(dst, data...)
	}
	return append(dst, '}', '}')
}
