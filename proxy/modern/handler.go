package modern

import (
	"net/http"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
)

// Options is what the modern dialect of a route is made of.
type Options struct {
	// Route is the path: a requestState is good on it only.
	Route string
	// MetadataURL tells where the client that sent a request finds who authorizes it; ""
	// where that is not published.
	MetadataURL func(*http.Request) string
	// Service runs the exchanges.
	Service *exchange.Service
	// Registry bounds and drains them; one serves the process.
	Registry *exchange.Registry
	// Sealer makes and opens requestStates.
	Sealer *session.Sealer
	// Binding tells what of a credential a round trip is bound to.
	Binding session.Binding
	// JSONRPCFailures makes every failure a JSON-RPC error, for tools/call too.
	JSONRPCFailures bool
	// HoldEarlyAnswers keeps the inputResponses of a first request until they are asked
	// for; otherwise such a request is refused.
	HoldEarlyAnswers bool
	// KeepAlive is the time between two comments on an open stream.
	KeepAlive time.Duration
	// Metrics are the route's.
	Metrics *metrics.Route
	// Dropped counts messages that go nowhere.
	Dropped func(metrics.Direction, metrics.DropReason)
	// Draining is closed when the daemon begins to stop: listens end.
	Draining <-chan struct{}
}

// Handler serves the modern clients of one route. It is an immutable snapshot.
type Handler struct {
	Options
	declarations *declarations
}

// New makes the handler.
func New(o Options) *Handler { return &Handler{o, newDeclarations()} }

// Post serves one message of a client. m is the whole message, scanned; it stays the
// caller's.
func (h *Handler) Post(w http.ResponseWriter, r *http.Request, m *wire.Scanner) {
	switch m.Kind {
	case wire.Notification: // none is defined, and none needs an answer
		w.WriteHeader(http.StatusAccepted)
		return
	case wire.Request:
	default:
		(&refusal{http.StatusBadRequest, wire.CodeInvalidRequest, "clients send no responses in this revision: answers go into inputResponses", nil}).write(w, nil)
		return
	}
	id := m.ID.Of(m.Bytes())
	v, f := h.visit(r, m)
	h.countRevision(v, f)
	if f == nil && strings.HasPrefix(v.method, "tasks/") {
		f = &refusal{http.StatusNotFound, wire.CodeMethodNotFound, "tasks are not carried by this proxy", nil}
	}
	if f != nil {
		f.write(w, id)
		return
	}
	h.request(w, r, m, v)
}

// countRevision counts which revision a client asked for and got, once it is known.
func (h *Handler) countRevision(v *visitor, f *refusal) {
	switch {
	case f == nil:
		h.Metrics.ClientRevision(v.client.Name, wire.Modern, wire.Modern)
	case v != nil:
		h.Metrics.ClientRevision(v.client.Name, v.client.Protocol, "")
	}
}

// NoStream answers GET and DELETE, which this revision does not have.
func (h *Handler) NoStream(w http.ResponseWriter) {
	w.Header().Set("Allow", "POST")
	w.WriteHeader(http.StatusMethodNotAllowed)
}
