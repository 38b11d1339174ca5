//go:build !purego

package wire

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// longEnd is stringEnd, for a string with a block of data or more. When it comes to a
// fault, or has no whole block left, that is torn, at a place from where to go on byte by
// byte.
func longEnd(b []byte, i int) (end int, reason Reason, escaped bool) {
	if hasAVX2 {
		return vectorsEnd(b, i)
	}
	return blocksEnd(b, i)
}

// vectorsEnd is longEnd by passBlocks.
func vectorsEnd(b []byte, i int) (end int, reason Reason, escaped bool) {
	passed, ended, escaped := passBlocks(&b[i], len(b)-i)
	if ended {
		return i + passed, 0, escaped
	}
	return runeStart(b, i, i+passed), torn, escaped
}

// passBlocks passes over the n bytes at p, which are inside a string, as long as they are
// whole blocks of what a string may have in it; or up to the quote that ends it, and that
// too (ended). It decides on no fault: it only stops before a block that may have one.
// Escaped is whether there was a backslash. Where it stops it is inside no escape, but
// perhaps inside a character. It needs AVX2, and reads the n bytes only.
//
// A block is looked at in two steps. The first sorts bytes by kind, and asks of each two
// bytes that follow each other whether the later one may stand there: no quote and no
// control character may, but after a backslash only what makes an escape. Where there
// are non-ASCII bytes, it also looks up which two of them are a fault, and whether third
// and fourth bytes of characters are just where they have to be. Nothing is left to do for
// most blocks. But the first step takes every byte after a backslash for escaped, which is
// wrong where backslashes follow each other, and knows no digits. Blocks with a quote, \\,
// \u or a fault therefore go to the second step, which works on sets of 64 bits: it finds
// the bytes that are escaped, the digits after each \u, and the quote that ends the
// string. Where it leaves something open at the end of a block, the next one starts there.
//
//go:noescape
func passBlocks(p *byte, n int) (passed int, ended, escaped bool)
