// Package webhook is a source of answers: a service of the operator's that is asked over HTTP.
//
// It gets a POST with the ask and what it belongs to, signed with a shared secret, and answers 200 with the bare answer, or
// with {"forward":true} to have the client asked. Anything else fails the ask: a webhook that is broken must not decide.
package webhook

import (
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
)

// DefaultTimeout bounds one ask where a rule sets no timeout.
const DefaultTimeout = 30 * time.Second

// SignatureHeader holds "sha256=" and the HMAC-SHA-256 of the body under the secret, in hex.
const SignatureHeader = "X-Mrtr-Signature"

// maxAnswerBytes bounds what is read of an answer.
const maxAnswerBytes = 1 << 20

// Options make a Factory.
type Options struct {
	// LookupEnv finds secrets in the environment; nil for the process's own.
	LookupEnv func(string) (string, bool)
	// Failed hears why a webhook gave no answer, to be logged. The error holds the address but no query, and nothing of the
	// request or the answer. It may be nil, and is called from any goroutine.
	Failed func(error)
}

// Factory makes the webhooks of rules; they share its connections. It is safe for concurrent use.
type Factory struct {
	options Options
	client  *http.Client
}

var _ answer.Factory = (*Factory)(nil)

// New makes a factory.
func New(o Options) *Factory {
	return &Factory{options: o, client: &http.Client{
		Transport: &http.Transport{
			// The address in the rule is the one that is asked: no proxy of the environment comes in between.
			Proxy:                  nil,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        90 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		// A redirect would carry the ask to a place that no rule names.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close drops the idle connections.
func (f *Factory) Close() { f.client.CloseIdleConnections() }

// Verb is the key of a rule's webhook.
func (f *Factory) Verb() string { return "webhook" }

// Source is the label of webhooks' answers.
func (f *Factory) Source() string { return "webhook" }
