package daemon

import (
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

// newLogger makes the logger of the process. Its level can be changed later, its format cannot.
func newLogger(c config.Log, out zapcore.WriteSyncer) (*zap.Logger, zap.AtomicLevel) {
	level := zap.NewAtomicLevelAt(levelOf(c.Level))
	e := zap.NewProductionEncoderConfig()
	e.TimeKey = "time"
	e.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	e.EncodeDuration = zapcore.StringDurationEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if c.Format == config.FormatConsole {
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		encoder = zapcore.NewConsoleEncoder(e)
	}
	return zap.New(zapcore.NewCore(encoder, out, level)), level
}

func levelOf(l config.Level) zapcore.Level {
	switch l {
	case config.LevelDebug:
		return zapcore.DebugLevel
	case config.LevelWarn:
		return zapcore.WarnLevel
	case config.LevelError:
		return zapcore.ErrorLevel
	default:
		return zapcore.InfoLevel
	}
}
