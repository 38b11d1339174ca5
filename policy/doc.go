// Package policy holds the rules that answer asks without a person: it checks them when they are
// loaded, says which one decides on an ask, builds what an accepting rule answers, and tells what a
// route may declare upstream because of them.
//
// The package is pure: it keeps no state between calls, does no I/O and reads no clock. A [Set] is
// immutable and safe for concurrent use.
package policy
