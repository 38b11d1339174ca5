// Package upstream speaks the modern dialect to a route's server.
//
// An Upstream makes attempts: each is one JSON-RPC request under an id of its own, sent as an HTTP POST with the headers of
// the Streamable HTTP page (2026-07-28), and its answer, JSON or an event stream, told to a Sink as it arrives. Only an
// input_required result comes back as a value. Whatever goes wrong comes back as one *Error that is fit for the client.
// It also finds out which era the server speaks, by server/discover, and keeps what that told, and which arguments of a
// call its tool wants in headers (mirror.go, tools.go).
package upstream
