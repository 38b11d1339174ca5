// Package answer takes an ask to its answer: a rule decides who answers it, that source answers, the answer is checked and
// brought into the form the server knows, and what happened is counted and recorded.
//
// A source of its own kind plugs in as a [Factory]: it parses its part of a rule and gives an [Answerer]. Nothing else of
// this package knows it.
package answer
