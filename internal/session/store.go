package session

import "time"

// Store remembers what a session's token cannot carry. Everything in it is bounded; where a bound is hit, the oldest goes
// first and is counted, unless a method says otherwise. Every method is safe for concurrent use.
type Store interface {
	// End marks a session as ended, and forgets its log level, subscriptions and credential. The mark is kept until the session would
	// have expired by itself; the zero time means for ever. Nothing is kept for the session any more from then on. End comes
	// before EndSession, which tells those who wait.
	End(id ID, until time.Time)
	// Ended tells whether a session was ended.
	Ended(id ID) bool

	// SetLogLevel keeps the level a session set by logging/setLevel. The caller has checked it.
	SetLogLevel(id ID, level string)
	// LogLevel gives the level of a session, empty when it set none.
	LogLevel(id ID) string

	// Subscribe adds a resource to those a session wants to hear of; to do so twice is to do so once. It fails with
	// ErrFull when the session has too many, or too long ones.
	Subscribe(id ID, uri string) error
	// Unsubscribe takes a resource out and tells whether it was in.
	Unsubscribe(id ID, uri string) bool
	// Subscriptions lists the resources of a session, sorted; nil when there is none. The caller owns the slice.
	Subscriptions(id ID) []string

	// Renew keeps the credential, an Authorization header value, that a session shows in place of the one it was opened with.
	// The caller knows that the upstream has accepted it. One that was kept before a newer one does not come back. It is a
	// secret: a store that others can read keeps it to this process, or not at all.
	Renew(id ID, authorization string)
	// Renewed gives the credential that was kept last; empty when there is none.
	Renewed(id ID) string

	Mailbox
}
