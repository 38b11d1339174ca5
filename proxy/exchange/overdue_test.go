package exchange

import (
	"testing"
	"testing/synctest"
	"time"
)

// An ask that is answered at the very moment at which input_timeout is reported: the
// report comes from a goroutine of its own, and may come when the round is over.
func TestAnOverdueReportMayComeWhenTheRoundIsOver(t *testing.T) {
	const ask = `{"resultType":"input_required","inputRequests":{"r":{"method":"roots/list"}}}`
	for range 60 {
		synctest.Test(t, func(t *testing.T) {
			s := readScript(t, "limit mode observe\nlimit input_timeout 10s\nclient r after 10s {\"roots\":[]}")
			for range 3 {
				s.server = append(s.server, turn{0, "result", ask})
			}
			s.server = append(s.server, turn{0, "result", `{"content":[]}`})
			began := time.Now()
			play(t, s)
			if took := time.Since(began); took != 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}
