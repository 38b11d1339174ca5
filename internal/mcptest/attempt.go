package mcptest

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// Keys of params._meta that every modern request carries (MCP: Basic, Metadata).
const (
	MetaProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
	MetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaClientInfo         = "io.modelcontextprotocol/clientInfo"
	MetaLogLevel           = "io.modelcontextprotocol/logLevel"
	MetaSubscriptionID     = "io.modelcontextprotocol/subscriptionId"
)

// Attempt is one request as the upstream received it. It does not change once
// a script sees it.
type Attempt struct {
	HTTPMethod string
	Path       string
	Header     http.Header
	At         time.Time // when its body had been read
	Body       []byte
	ID         json.RawMessage // as written; nil when absent
	Method     string
	Params     json.RawMessage // as written; nil when absent
	Number     int             // 1 for the first attempt of its method
	gone       <-chan struct{}
	served     atomic.Bool // the script ended before the proxy was gone
}

// Param returns a raw value from params by a path of member names, or nil.
func (a *Attempt) Param(path ...string) json.RawMessage { return Member(a.Params, path...) }

// Meta returns a raw member of params._meta, or nil.
func (a *Attempt) Meta(key string) json.RawMessage { return a.Param("_meta", key) }

// Capabilities returns a raw value from the declared client capabilities, or nil.
func (a *Attempt) Capabilities(path ...string) json.RawMessage {
	return Member(a.Meta(MetaClientCapabilities), path...)
}

// Name is the tool, prompt or URI that the attempt is about, or "".
func (a *Attempt) Name() string {
	if name := a.Param("name"); name != nil {
		return textOf(name)
	}
	return textOf(a.Param("uri"))
}

// Response returns the raw answer to one ask, or nil.
func (a *Attempt) Response(key string) json.RawMessage { return a.Param("inputResponses", key) }

// State returns the raw requestState, nil when the attempt carries none.
func (a *Attempt) State() json.RawMessage { return a.Param("requestState") }

// IsRetry tells whether the attempt carries answers or state.
func (a *Attempt) IsRetry() bool { return a.Param("inputResponses") != nil || a.State() != nil }

// Gone is closed once the proxy has closed the attempt's connection, or the
// attempt has been served.
func (a *Attempt) Gone() <-chan struct{} { return a.gone }

func (a *Attempt) isOpen() bool {
	select {
	case <-a.gone:
		return false
	default:
		return true
	}
}

// AwaitCancelled waits until the proxy closes the attempt while it is being
// served. An attempt that is served to its end fails the test.
func (a *Attempt) AwaitCancelled(t testing.TB) {
	t.Helper()
	select {
	case <-a.gone:
	case <-time.After(Patience):
		t.Fatalf("%s attempt %d is still open after %v", a.Method, a.Number, Patience)
	}
	if a.served.Load() {
		t.Fatalf("%s attempt %d was served to its end", a.Method, a.Number)
	}
}
