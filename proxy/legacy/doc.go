// Package legacy speaks the legacy dialect of MCP towards clients: the revisions
// 2024-11-05 to 2025-11-25, with a handshake, sessions, event streams, and questions
// that travel as requests from server to client.
//
//	handshake.go     initialize, answered from what server/discover told
//	session.go       whose session a request belongs to, and whether it may act on it
//	post.go          what a POST brings: a request, a notification, an answer
//	request.go       a request becomes an exchange
//	metadata.go      the _meta that goes up with it
//	capabilities.go  what is declared in each direction
//	local.go         methods that are answered here
//	reply.go         the client's end of an exchange: one JSON body, or an event stream
//	stream.go        an event stream and its keep-alive
//	standing.go      the GET stream of a session; inbox.go what has arrived for it, subscribe.go what it hears of
//	credential.go    the newest credential of a session that the server has accepted
//	rewrite.go       objects and lists copied member by member
//	question.go      asking the client, and withdrawing what was asked
//	downgrade.go     an ask in the form of the session's revision: form.go, link.go, sampling.go
//	toolresult.go    a tool's result in the form of older revisions; toollist.go a list of tools
//	batch.go         several messages in one POST
//	httpsse.go       the HTTP+SSE transport of 2024-11-05; member.go joins replies on one connection
//	events.go        the reply as an event stream; replay.go and resume.go for one that broke off
//	waiting.go       keeping a client patient while its request waits for input
//	progress.go      progress tokens translated back, values kept increasing
//	notification.go  notifications of the client, cancellation among them
//	failure.go       what a client is told when something failed
//	accept.go        what the Accept header allows
package legacy
