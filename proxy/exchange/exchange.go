package exchange

import (
	"context"
	"errors"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// Why an exchange is ended from outside: the causes of its context.
var (
	// ErrCancelled: the client cancelled its request, and wants no answer.
	ErrCancelled = errors.New("cancelled by the client")
	// ErrSessionEnded: the session was deleted; nobody is left to answer.
	ErrSessionEnded = errors.New("the session has ended")
	// ErrDropped: the connection broke before the reply had become a stream, or
	// nobody came back for the stream.
	ErrDropped = errors.New("the client is gone")
	// ErrClientDeadline: the client is about to give up, and input is still missing.
	ErrClientDeadline = errors.New("the client is about to give up")
	// ErrShuttingDown: the daemon stops, and has waited long enough.
	ErrShuttingDown = errors.New("the proxy is shutting down")
)

// Exchange is one client request that is running. It is the mailbox's Box for what
// the client posts about it.
type Exchange struct {
	// Began is when the request had been read.
	Began time.Time
	// Who sent it, for the log, and what trace it belongs to; the zero values are nobody
	// known and none. They are set before anything is sent.
	Session   session.ID
	Principal session.Digest
	Trace     Trace

	life       lifetime
	registry   *Registry
	prev, next *Exchange
}

// Context is the exchange's own: it ends by End, and not with a connection.
func (x *Exchange) Context() context.Context { return &x.life }

// End ends the exchange early, for one of this package's causes. The first cause counts.
func (x *Exchange) End(cause error) { x.life.end(cause) }

// Cancelled implements the mailbox's Box.
func (x *Exchange) Cancelled() { x.End(ErrCancelled) }

// SessionEnded implements the mailbox's Box.
func (x *Exchange) SessionEnded() { x.End(ErrSessionEnded) }
