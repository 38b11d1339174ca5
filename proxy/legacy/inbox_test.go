package legacy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

// counting is an inbox that tells how many messages it dropped, and why.
func counting() (*inbox, map[metrics.DropReason]int) {
	dropped := map[metrics.DropReason]int{}
	return newInbox(func(_ metrics.Direction, why metrics.DropReason) { dropped[why]++ }), dropped
}

func TestAnInboxKeepsTheNewest(t *testing.T) {
	in, dropped := counting()
	for i := range maxInbox + 3 {
		in.Announce(fmt.Append(nil, i))
	}
	events, more := in.take(nil)
	if !more || !strings.HasPrefix(string(events), "data: 3\n\ndata: 4\n\n") || bytes.Count(events, []byte("data: ")) != maxInbox || dropped[metrics.DropOverflow] != 3 {
		t.Errorf("more %v, dropped %v, events %.40q", more, dropped, events)
	}
	if events, _ = in.take(nil); len(events) != 0 {
		t.Errorf("twice: %q", events)
	}
}

func TestAnInboxIsBoundedInBytes(t *testing.T) {
	in, dropped := counting()
	in.Announce([]byte("small"))
	in.Announce(bytes.Repeat([]byte{'x'}, maxInboxBytes/2))
	in.Announce(bytes.Repeat([]byte{'y'}, maxInboxBytes/2))
	in.Announce(bytes.Repeat([]byte{'z'}, 2*maxInboxBytes)) // one always fits
	events, _ := in.take(nil)
	if len(events) < 2*maxInboxBytes || bytes.ContainsAny(events, "xy") || dropped[metrics.DropOverflow] != 3 {
		t.Errorf("%d bytes, dropped %v", len(events), dropped)
	}
}

func TestAnInboxEnds(t *testing.T) {
	in, _ := counting()
	in.Announce([]byte("1"))
	in.Over()
	in.Announce([]byte("2"))
	if events, more := in.take(nil); string(events) != "data: 1\n\n" || more {
		t.Errorf("%q, more %v", events, more)
	}
	in, dropped := counting()
	in.Announce([]byte("1"))
	in.close()
	in.close()
	if events, more := in.take(nil); len(events) != 0 || more || dropped[metrics.DropNoStream] != 1 {
		t.Errorf("%q, more %v, dropped %v", events, more, dropped)
	}
}
