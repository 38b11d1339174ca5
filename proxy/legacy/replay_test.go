package legacy

import (
	"strconv"
	"strings"
	"testing"
)

// What is kept is the end of what went down, whole events, and not more than its bound
// but for the last of them.
func TestReplayKeepsTheEnd(t *testing.T) {
	for _, size := range []int{1, 100, maxReplay / 3, maxReplay, 3 * maxReplay} {
		r := &replay{id: "s"}
		var all []string
		for i := range min(4000, max(6, 5*maxReplay/size)) {
			e := "id: " + r.name() + "\ndata: " + strings.Repeat(strconv.Itoa(i%10), size) + "\n\n"
			all = append(all, e)
			r.keep([]byte(e))
			if bound := 2*maxReplay + 2*len(e); len(r.log) > bound {
				t.Fatalf("size %d: %d bytes are kept after %d events", size, len(r.log), i+1)
			}
		}
		for _, n := range []int{0, len(all) / 2, len(all) - 2, len(all) - 1, len(all), len(all) + 7} {
			got, want := string(r.after(n)), strings.Join(all[min(n, len(all)):], "")
			if !strings.HasSuffix(want, got) || len(got) > 0 && !strings.HasPrefix(got, "id: s-") {
				t.Fatalf("size %d: after %d: %.60q of %d bytes is no end of what was sent", size, n, got, len(got))
			}
			if len(want) <= maxReplay && got != want {
				t.Errorf("size %d: after %d: %d bytes of %d", size, n, len(got), len(want))
			}
			if n == len(all)-1 && got != want {
				t.Errorf("size %d: the last event is gone", size)
			}
		}
	}
}

func TestReplayWithoutAnIDKeepsNothing(t *testing.T) {
	var r replay
	r.keep([]byte("data: x\n\n"))
	if r.name() != "" || r.log != nil || len(r.after(0)) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestParseEventID(t *testing.T) {
	for _, c := range []struct {
		id, stream string
		n          int
		ok         bool
	}{
		{"ABC-0", "ABC", 0, true}, {"ABC-12", "ABC", 12, true}, {"ABC", "ABC", 0, false}, {"", "", 0, false}, {"-1", "", 1, false},
		{"ABC--1", "ABC", -1, false}, {"ABC-x", "ABC", 0, false}, {"ABC-1-2", "ABC", 0, false}, {"ABC-99999999999999999999", "ABC", 0, false},
	} {
		if stream, n, ok := parseEventID(c.id); ok != c.ok || ok && (stream != c.stream || n != c.n) {
			t.Errorf("%q: %q %d %v", c.id, stream, n, ok)
		}
	}
}

func TestStreamsAreBounded(t *testing.T) {
	table := NewStreams()
	first := table.add(&reply{})
	for range maxStreams - 1 {
		table.add(&reply{})
	}
	if id := table.add(&reply{}); id != "" {
		t.Errorf("one too many: %q", id)
	}
	table.remove(first)
	if table.find(first) != nil || table.add(&reply{}) == "" {
		t.Error("no room where there is")
	}
}
