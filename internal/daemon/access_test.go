package daemon

import (
	"fmt"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

func TestAFloodIsSampled(t *testing.T) {
	const flood = 5000
	for mode, fits := range map[config.Access]func(int) bool{
		config.AccessOff: func(n int) bool { return n == 0 },
		config.AccessAll: func(n int) bool { return n == flood },
		// A second may begin in the middle of it.
		config.AccessSampled: func(n int) bool { return n >= sampleFirst && n < flood/2 },
	} {
		core, lines := observer.New(zapcore.InfoLevel)
		if log := accessLog(zap.New(core), mode); log != nil {
			for i := range flood {
				log.Info("exchange ok", zap.Int("i", i))
			}
			log.Info("exchange limit")
			if lines.FilterMessage("exchange limit").Len() != 1 {
				t.Errorf("%s: a flood of one outcome hides another", mode)
			}
		}
		if n := lines.FilterMessage("exchange ok").Len(); !fits(n) {
			t.Errorf("%s: %d lines of %d", mode, n, flood)
		}
	}
}

func TestTheLevelOfTheLogIsChangedAtRunTime(t *testing.T) {
	w := start(t, "log: {level: warn}\n"+oneRoute)
	if status, body := w.get(t, "GET", "/-/log-level"); status != 200 || body != "{\"level\":\"warn\"}\n" {
		t.Errorf("GET: HTTP %d %s", status, body)
	}
	w.log.b.Reset()
	if status, body := w.put(t, "/-/log-level", `{"level":"debug"}`); status != 200 || body != "{\"level\":\"debug\"}\n" {
		t.Errorf("PUT: HTTP %d %s", status, body)
	}
	if !w.level.Enabled(zapcore.DebugLevel) {
		t.Error("the level has not changed")
	}
	for _, body := range []string{`{"level":"loud"}`, `{}`, ``, fmt.Sprintf(`{"level":"%0100000d"}`, 1)} {
		if status, _ := w.put(t, "/-/log-level", body); status != 400 {
			t.Errorf("%.40s: HTTP %d", body, status)
		}
	}
}
