// Package explain tells what the rules of a route make of an ask: which rule decides and why, what is answered, and what is
// declared upstream. It goes through the checks that traffic goes through, but asks nobody and calls no webhook.
//
// It serves the commands `explain` and `policy test`.
package explain
