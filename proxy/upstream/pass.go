package upstream

import (
	"encoding/json"
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Passed is what a modern client's request has beside its own bytes, which go up but for what an attempt must change. What
// comes back goes down whole, the errors among it by which a server refuses how it was asked: those are the client's to
// answer.
type Passed struct {
	// Capabilities is the raw object in place of the client's own clientCapabilities; nil leaves those as they are.
	Capabilities []byte
	// Mirrored are the client's own Mcp-Param headers: an intermediary forwards them, and the server compares them with
	// the body (Streamable HTTP, Server Behavior for Custom Headers).
	Mirrored http.Header
	// Meta holds members to add to params._meta, raw and without braces; nil is none.
	Meta []byte
}

// StatusSink is a Sink that wants to know with which HTTP status a JSON-RPC error came.
type StatusSink interface {
	Sink
	// Status comes right before Reply.
	Status(code int)
}

// passedMessage is the request of an attempt for a modern client.
func (a *attempt) passedMessage(members []byte) []byte {
	c := a.call
	p := wire.Passage{ID: a.id, Capabilities: c.Passed.Capabilities, Members: members, Meta: c.Passed.Meta}
	if c.Progress {
		p.Token = a.id
	}
	a.body = c.Request.AppendPassed(a.body[:0], p)
	return a.body
}

// whole is the result of an input_required for a client that gets it itself; nil for others.
func (a *attempt) whole() json.RawMessage {
	if a.call.Passed == nil {
		return nil
	}
	return append(json.RawMessage(nil), a.scan.Result.Of(a.scan.Bytes())...)
}

// tellStatus tells the sink how the error came that it is about to get.
func (a *attempt) tellStatus() {
	if s, ok := a.sink.(StatusSink); ok {
		s.Status(a.status)
	}
}
