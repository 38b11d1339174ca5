// Package exchange carries one client request from its arrival to its one answer.
//
// An exchange is not its connection: it runs on a context of its own, so that a
// client whose connection drops may come back for the answer. It sends attempts
// upstream, steps the round trip (package resolver) and has asks answered (package
// answer), and it counts how all that ended. It knows neither dialect: what a client
// is told, and how it is asked, is its Client's business.
package exchange
