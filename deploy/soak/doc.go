// Package soak has a daemon serve exchanges of all kinds, faults among them, and watches what stays behind:
//
//	go test -tags soak -v ./deploy/soak
package soak
