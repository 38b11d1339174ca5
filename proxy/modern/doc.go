// Package modern speaks the modern dialect to clients (MCP 2026-07-28, Streamable HTTP).
//
// A modern client's request goes up with its own bytes and its response comes down with
// the server's. In between are the same limits, rules, metrics and audit as for legacy
// clients, and no state: towards the client the proxy is the server, so the requestState
// of an input_required is its own to write. It is the round trip itself, sealed, and the
// client brings it back with its answers.
package modern
