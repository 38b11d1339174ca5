// Package e2e runs a real Prometheus with the rules and the dashboard of deploy against a real daemon under load:
//
//	go test -tags deploy ./deploy/e2e
//
// It needs prometheus and promtool.
package e2e
