package legacy

import (
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/detach"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
)

// Options is what the legacy dialect of a route is made of.
type Options struct {
	// Route is the path: sessions are good on it only, and it names a server that
	// does not name itself.
	Route string
	// PassThrough serves an initialize when the server turns out to be a legacy one;
	// nil where that must not be.
	PassThrough func(http.ResponseWriter, *http.Request, *wire.Scanner)
	// MetadataURL tells where the client that sent a request finds who authorizes it; ""
	// where that is not published.
	MetadataURL func(*http.Request) string
	// Service runs the exchanges.
	Service *exchange.Service
	// Registry bounds and drains them; one serves the process.
	Registry *exchange.Registry
	// Store remembers what a session id cannot carry; one serves the process.
	Store session.Store
	// Sealer makes and opens session ids.
	Sealer *session.Sealer
	// MaxAge is how long a session id is good, from its issue.
	MaxAge time.Duration
	// Binding tells what of a credential a session is bound to.
	Binding session.Binding
	// JSONRPCFailures makes every failure a JSON-RPC error, for tools/call too.
	JSONRPCFailures bool
	// Streams finds the streams that can be resumed; one serves the process.
	Streams *Streams
	// Channels finds the streams of the HTTP+SSE transport; one serves the process.
	Channels *Channels
	// Detached has the streams that stand without a handler; one serves the process.
	Detached *detach.Group
	// ResumeWindow is how long a client whose stream broke may take to come back for
	// it; 0 means that it cannot.
	ResumeWindow time.Duration
	// WaitingProgress is the time between two notifications that tell a client which
	// wants progress that its request waits for input; 0 means none.
	WaitingProgress time.Duration
	// Deadlines tell when clients give up a request of which they hear nothing; the
	// first that fits the client's name counts.
	Deadlines []Deadline
	// KeepAlive is the time between two comments on an open stream.
	KeepAlive time.Duration
	// Metrics are the route's.
	Metrics *metrics.Route
	// Dropped counts messages that go nowhere.
	Dropped func(metrics.Direction, metrics.DropReason)
	// Draining is closed when the daemon begins to stop: standing streams end.
	Draining <-chan struct{}
	Log      *zap.Logger
}

// Deadline is how long clients of a name wait for a response.
type Deadline struct {
	Client policy.Pattern // over the client's name
	After  time.Duration
}

// deadlineOf is when a client gives up a request, from its arrival on; 0 is never.
func (h *Handler) deadlineOf(client string) time.Duration {
	for _, d := range h.Deadlines {
		if d.Client.Match(client) {
			return d.After
		}
	}
	return 0
}

// Handler serves the legacy clients of one route. It is an immutable snapshot.
type Handler struct{ Options }

// New makes the handler.
func New(o Options) *Handler { return &Handler{o} }
