package daemon

import (
	"context"
	"net/http"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

// Traffic is the handler behind the traffic listener. It checks Host and Origin itself (package guard).
type Traffic interface {
	http.Handler
	// Reload builds all that c asks for and changes nothing; swap then puts it in force and cannot fail.
	Reload(c *config.Config) (swap func(), err error)
	// Drain takes no new exchanges, closes standing streams and waits for the exchanges that run. When ctx ends it fails
	// those that are left, and returns its error.
	Drain(ctx context.Context) error
	// Close lets go of everything. It comes after Drain and after the last request.
	Close()
}

// Parts are what a traffic handler is built from.
type Parts struct {
	Config  *config.Config
	Log     *zap.Logger
	Metrics *metrics.Metrics
	Version string // of the program
}

// Builder makes the traffic handler.
type Builder func(Parts) (Traffic, error)
