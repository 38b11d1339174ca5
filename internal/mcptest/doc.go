// Package mcptest holds the scripted peers that tests of the proxy put on
// either side of it: [Upstream], a modern server that refuses whatever a strict
// one refuses and can fail at any point of an exchange; [Client], a raw legacy
// client; and [Program], which builds the binary and runs it as a [Daemon].
//
// Nothing in here uses the proxy's own code, so that a mistake in that code is
// not repeated by its tests. Every wait is bounded by [Patience] and ends as
// soon as its condition holds.
package mcptest
