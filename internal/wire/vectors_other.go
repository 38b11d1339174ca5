//go:build !amd64 || purego

package wire

// longEnd is stringEnd, for a string with a block of data or more. When it comes to a
// fault, or has no whole block left, that is torn, at a place from where to go on byte by
// byte.
func longEnd(b []byte, i int) (end int, reason Reason, escaped bool) { return blocksEnd(b, i) }
