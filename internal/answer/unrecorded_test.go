package answer

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// With refuse an ask is answered only if it is recorded, and nobody is asked for nothing.
func TestAnAskThatCannotBeRecorded(t *testing.T) {
	for _, refuse := range []bool{false, true} {
		b := newBench(t, DefaultSettings(), nil)
		b.options.RefuseUnrecorded = refuse
		c := b.about(says(`{"action":"decline"}`))
		settle := func(want, outcome string) {
			t.Helper()
			got, f := b.Settle(t.Context(), c, formAsk(portSchema))
			if string(got) != want || (f == nil) != (want != "") || f != nil && f.Reason != resolver.Refused {
				t.Fatalf("refuse %t: answer %s, failure %v, want %q", refuse, got, f, want)
			}
			if b.counted(t, "asks_total", outcome) == 0 {
				t.Errorf("refuse %t: not counted as %s", refuse, outcome)
			}
		}
		settle(`{"action":"decline"}`, "decline")
		b.audit.lost = true
		if refuse {
			settle("", "refused")
			c.Channel = unreachable{t} // from now on nobody is asked
			settle("", "refused")
		} else {
			settle(`{"action":"decline"}`, "decline")
			settle(`{"action":"decline"}`, "decline")
		}
		if n := b.counted(t, "audit_records_lost_total"); n != 2 {
			t.Errorf("refuse %t: %v records counted as lost", refuse, n)
		}
		b.audit.lost = false
		if refuse {
			settle("", "refused") // which is the record that shows that the file can be written
			if last := b.audit.all[len(b.audit.all)-1]; last.Outcome != "refused" {
				t.Errorf("recorded as %+v", last)
			}
			c.Channel = says(`{"action":"decline"}`)
		}
		settle(`{"action":"decline"}`, "decline")
	}
}

// unreachable is a client that must not be asked.
type unreachable struct{ t *testing.T }

func (u unreachable) Ask(context.Context, resolver.Ask) (json.RawMessage, error) {
	u.t.Error("the client was asked")
	return nil, ErrNoChannel
}

// The limits of a request go before the settings of its route.
func TestPatienceOfOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, Settings{InputTimeout: time.Hour, OnTimeout: Cancel}, nil)
		c := b.about(thinks{5 * time.Second, `{"action":"decline"}`})
		c.Limits = &resolver.Limits{InputTimeout: time.Second}
		begun := time.Now()
		if got, f := b.Settle(t.Context(), c, formAsk(portSchema)); string(got) != `{"action":"cancel"}` || f != nil || time.Since(begun) != time.Second {
			t.Errorf("%s, %v after %v", got, f, time.Since(begun))
		}
		c.Limits.Observe = true
		got, _ := b.Settle(t.Context(), c, formAsk(portSchema))
		b.mu.Lock()
		defer b.mu.Unlock()
		if string(got) != `{"action":"decline"}` || len(b.overdue) != 2 {
			t.Errorf("observed: %s, overdue %v", got, b.overdue)
		}
	})
}
