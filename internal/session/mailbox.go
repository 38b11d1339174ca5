package session

import "errors"

// ErrInUse means that the session has an exchange with this request id under way.
var ErrInUse = errors.New("request id is in use")

// ErrFull means that a table has reached its bound.
var ErrFull = errors.New("too many at once")

// Box is the end of an exchange that hears of what happens to it. Both methods may be called from any goroutine, at any
// time between Enter and the end of leave and shortly after, and more than once; they must not block or call the Mailbox.
type Box interface {
	Cancelled()    // the client sent notifications/cancelled
	SessionEnded() // the session was ended
}

// Mailbox brings what clients send to those who wait for it.
//
// Whatever enters a session that was ended already is told so at once, so that an end and an entrance that happen at the
// same time never miss each other.
type Mailbox interface {
	// Enter registers an exchange under its session and the client's request id as it was written: 7 and "7" differ. It
	// fails with ErrInUse or ErrFull. leave frees the id; it must be called, and may be called twice.
	Enter(session ID, request string, b Box) (leave func(), err error)
	// Cancel tells the exchange of a request that its client gave it up. It is false when there is none.
	Cancel(session ID, request string) bool

	// Expect registers an open ask under the id it went down with. deliver is called at most once, with the client's whole
	// response message, which it then owns; it must not block. It fails with ErrInUse or ErrFull. forget withdraws the ask:
	// it must be called, may be called twice, and a delivery that has begun is not waited for.
	Expect(session ID, ask string, deliver func(message []byte)) (forget func(), err error)
	// Deliver hands a response to who expects it. It is false when nobody does (any more).
	Deliver(session ID, ask string, message []byte) bool

	// Attach registers a standing stream; closed is called when its session ends, under the rules of Box. It fails with
	// ErrFull. detach must be called, and may be called twice.
	Attach(session ID, closed func()) (detach func(), err error)

	// EndSession tells every exchange and standing stream of a session that it was ended.
	EndSession(session ID)
}
