// Package resolver is the round trip of a request as a pure step machine: what to
// do next when a server answers input_required, and the limits of doing it.
//
// A driver feeds events to [Step] and carries out the action that comes back:
//
//	Begin ──► Send ──► (the attempt runs)
//	            ▲            ├─ Completed ─────► Done
//	            │            └─ InputRequired
//	            │                 ├─ asks ─────► AskAll ─ Answered… ─┐
//	            │                 ├─ state only► Pause ── PauseOver ─┤
//	            │                 └─ a trip ───► Fail                │
//	            └────────────────────────────────────────────────────┘
//
// The package knows no HTTP, clock, logger or goroutine: time comes in with the
// events, trips and rounds go out to an [Observer]. A [State] is a small value that
// can be kept in memory, sealed into a token or put into a store.
//
// The rules are those of "Multi Round-Trip Requests" (basic/patterns/mrtr) of MCP
// 2026-07-28; the limits are ours.
package resolver
