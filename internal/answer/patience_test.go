package answer

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestPatience(t *testing.T) {
	answer := thinks{5 * time.Second, `{"action":"accept","content":{"port":1}}`}
	for _, tc := range []struct {
		name     string
		settings Settings
		rule     string // a forward's arguments
		trip     time.Duration
		took     time.Duration
		want     settled
		overdue  int
	}{
		{"in time", Settings{InputTimeout: time.Minute}, ``, 0, 5 * time.Second, settled{string(answer.says), 0, "client", "accept"}, 0},
		{"no bound", Settings{}, ``, 0, 5 * time.Second, settled{string(answer.says), 0, "client", "accept"}, 0},
		{"input_timeout, fail", Settings{InputTimeout: time.Second}, ``, 0, time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 1},
		{"input_timeout, cancel", Settings{InputTimeout: time.Second, OnTimeout: Cancel}, ``, 0, time.Second, settled{`{"action":"cancel"}`, 0, "client", "timeout"}, 1},
		{"input_timeout, observed", Settings{InputTimeout: time.Second, Observe: true}, ``, 0, 5 * time.Second, settled{string(answer.says), 0, "client", "accept"}, 1},
		{"a rule's", Settings{InputTimeout: 3 * time.Second, OnTimeout: Cancel}, `{"timeout":"2s"}`, 0, 2 * time.Second, settled{`{"action":"cancel"}`, 0, "client", "timeout"}, 0},
		{"a rule's, observed", Settings{InputTimeout: time.Second, Observe: true}, `{"timeout":"2s"}`, 0, 2 * time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 1},
		{"a rule's that is longer", Settings{InputTimeout: time.Second}, `{"timeout":"2s"}`, 0, time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 1},
		{"the round trip's", Settings{InputTimeout: time.Minute, OnTimeout: Cancel}, ``, time.Second, time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rules []policy.Spec
				if tc.rule != "" {
					rules = []policy.Spec{{Name: "r", Action: "forward", Args: json.RawMessage(tc.rule)}}
				}
				b := newBench(t, tc.settings, nil, rules...)
				ctx := t.Context()
				if tc.trip > 0 {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, tc.trip)
					defer stop()
				}
				begun := time.Now()
				got, f := b.Settle(ctx, b.about(answer), formAsk(portSchema))
				if took := time.Since(begun); took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
				if string(got) != tc.want.answer || (f == nil) != (tc.want.answer != "") || f != nil && f.Reason != tc.want.reason {
					t.Errorf("answer %s, failure %v", got, f)
				}
				if b.counted(t, "asks_total", tc.want.source, tc.want.outcome) != 1 || b.audit.all[0].Wait != tc.took {
					t.Errorf("not counted as %s, or recorded as %+v", tc.want.outcome, b.audit.all[0])
				}
				b.mu.Lock()
				defer b.mu.Unlock()
				if len(b.overdue) != tc.overdue {
					t.Errorf("overdue %d times, want %d", len(b.overdue), tc.overdue)
				}
			})
		})
	}
}

// A late source fails the ask, and no setting makes a cancel of that.
func TestPatienceWithASource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hook := &source{answer: func(ctx context.Context) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		b := newBench(t, Settings{InputTimeout: time.Second, OnTimeout: Cancel}, Parsers(hook), policy.Spec{Name: "r", Action: "desk"})
		_ = b.want(t, b.about(nil), formAsk(portSchema), settled{"", resolver.Timeout, "hook", "timeout"})
		if len(b.overdue) != 1 {
			t.Errorf("overdue %d times, want once", len(b.overdue))
		}
	})
}

func TestAWithdrawnAskIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, Settings{InputTimeout: time.Minute, OnTimeout: Cancel, OnNoChannel: Cancel}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		got, f := b.Settle(ctx, b.about(thinks{d: time.Hour}), formAsk(portSchema))
		if got != nil || f == nil || f.Reason != 0 {
			t.Errorf("answer %s, failure %+v", got, f)
		}
		if len(b.audit.all) != 0 || b.counted(t, "asks_total") != 0 {
			t.Error("a withdrawn ask was counted or recorded")
		}
	})
}
