// Package session holds what a legacy session is made of: the sealed token that is its id, the claims inside, the
// principal it is bound to, and the store for the little that cannot travel in a token.
//
// A session costs no memory while it idles. Its Mcp-Session-Id carries everything initialize settled, sealed with a key of
// the proxy, so that any replica and any later process with the key can open it. The Store remembers the rest, all of it
// bounded: which sessions were ended, what level they log at, what they subscribed to, and, in its Mailbox, who in this
// process waits for an answer, a cancel or the end of a session.
package session
