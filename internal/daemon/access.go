package daemon

import (
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

// Of the lines of each outcome, the sampled access log writes so many in a second, and of those beyond one in so many.
const (
	sampleFirst = 100
	sampleAfter = 100
)

// accessLog is the log that takes a line for each exchange; nil takes none.
func accessLog(log *zap.Logger, mode config.Access) *zap.Logger {
	log = log.Named("access")
	switch mode {
	case config.AccessOff:
		return nil
	case config.AccessAll:
		return log
	}
	return log.WithOptions(zap.WrapCore(func(c zapcore.Core) zapcore.Core {
		return zapcore.NewSamplerWithOptions(c, time.Second, sampleFirst, sampleAfter)
	}))
}
