package proxy

import (
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/legacy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Shared is what outlives a reload.
type Shared struct {
	Store   session.Store
	Budgets budget.Store // nil: in memory, as many as are kept by default
	Metrics *metrics.Metrics
	Log     *zap.Logger
	// MaxExchanges bounds the requests that run at once in the process.
	MaxExchanges int
}

// Options is what a configuration makes of the handler.
type Options struct {
	Guard guard.Options
	// Tokens are the bearer tokens one of which a client must show; none means that
	// none is asked for.
	Tokens []string
	// MaxBodyBytes bounds the body of a client's request.
	MaxBodyBytes int64
	// KeepAlive is the time between two comments on an open stream.
	KeepAlive time.Duration

	// ResumeWindow is how long a legacy client whose stream broke may take to come
	// back for it; 0 means that it cannot.
	ResumeWindow time.Duration
	// WaitingProgress is the time between two notifications that tell a legacy client
	// that its request waits for input; 0 means none.
	WaitingProgress time.Duration
	// Deadlines tell when legacy clients give up a request.
	Deadlines []legacy.Deadline

	Sealer  *session.Sealer
	MaxAge  time.Duration // of a session id
	Binding session.Binding

	// Budgets hold on all routes.
	Budgets []budget.Budget

	// JSONRPCFailures makes every failure a JSON-RPC error, for tools/call too.
	JSONRPCFailures bool
	Auditor         answer.Auditor // nil: nothing is recorded
	AuditValues     bool
	// RefuseUnrecorded fails asks that the Auditor cannot take down.
	RefuseUnrecorded bool

	// Access takes a line for each exchange; nil takes none.
	Access *zap.Logger

	Routes []Route
}

// Route is a path with its upstream, limits and rules.
type Route struct {
	Path     string // without a trailing slash; it is served with one too
	Upstream upstream.Options
	Metadata Metadata
	Limits   resolver.Limits
	// ToolLimits take the place of Limits for the tools they name; the first that fits counts.
	ToolLimits []exchange.ToolLimits
	Policy     *policy.Set
	Answers    answer.Settings
	// HoldEarlyAnswers lets modern clients answer before they are asked.
	HoldEarlyAnswers bool
	// Passthrough lets a legacy server be served although there are rules, which do not
	// reach it.
	Passthrough bool
}

// access is the access log of a route.
func (o *Options) access(path string) *zap.Logger {
	if o.Access == nil {
		return nil
	}
	return o.Access.With(routeField(path))
}
