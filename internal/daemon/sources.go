package daemon

import (
	"sync/atomic"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/answer/webhook"
	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// Sources are the sources of answers beside policy and the client. They outlive reloads.
type Sources struct {
	factories []answer.Factory
	closers   []func()
	log       atomic.Pointer[zap.Logger] // there is none while the configuration is read
}

// NewSources registers every source: a line here is all that one needs outside of its package.
func NewSources() *Sources {
	s := &Sources{}
	hooks := webhook.New(webhook.Options{Failed: s.failed("webhook")})
	s.register(hooks, hooks.Close)
	return s
}

func (s *Sources) register(f answer.Factory, closed func()) {
	s.factories = append(s.factories, f)
	s.closers = append(s.closers, closed)
}

// failed logs why a source gave no answer.
func (s *Sources) failed(source string) func(error) {
	return func(err error) {
		if log := s.log.Load(); log != nil {
			log.Warn("a source gave no answer", zap.String("source", source), zap.Error(err))
		}
	}
}

// ConfigOptions are what a configuration is checked with, whoever loads it.
func (s *Sources) ConfigOptions() config.Options {
	return config.Options{
		Actions: answer.Parsers(s.factories...),
		CheckKeys: func(path string) error {
			_, err := session.ReadKeyFile(path)
			return err
		},
		CheckTLS: checkTLS,
	}
}

// Close lets go of the connections of all sources.
func (s *Sources) Close() {
	for _, closed := range s.closers {
		closed()
	}
}
