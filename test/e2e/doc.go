// Package e2e tests the built program between scripted peers: what becomes of exchanges
// whose upstream dies, of many at once, and of peers that break the rules.
package e2e
