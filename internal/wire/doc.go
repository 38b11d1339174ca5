// Package wire is the bytes of the protocol: JSON-RPC messages, scanned once as
// they arrive and changed by splicing, event streams both ways, header values,
// and the names of versions, methods and capabilities.
//
// A message is never decoded and encoded again: what is not meant to change
// leaves as the bytes that came in.
package wire
