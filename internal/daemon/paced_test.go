package daemon

import (
	"bytes"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// written keeps each write by itself.
type written struct {
	mu     sync.Mutex
	writes []string
}

func (w *written) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = append(w.writes, string(p))
	return len(p), nil
}

func (w *written) Sync() error {
	_, err := w.Write([]byte("sync"))
	return err
}

func (w *written) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.writes)
}

func TestALineGoesOutAtOnceUnlessOneJustDid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(written)
		p := &paced{out: out}
		say := func(lines ...string) {
			for _, line := range lines {
				if n, err := p.Write([]byte(line)); n != len(line) || err != nil {
					t.Errorf("%d, %v", n, err)
				}
			}
		}
		has := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if got := out.all(); !slices.Equal(got, want) {
				t.Fatalf("%q\nwant %q", got, want)
			}
		}
		say("a", "b", "c")
		has("a")
		time.Sleep(pace)
		has("a", "bc")
		say("d")
		has("a", "bc")
		time.Sleep(pace)
		has("a", "bc", "d")
		time.Sleep(pace)
		say("e", "f")
		has("a", "bc", "d", "e")
		if err := p.Sync(); err != nil {
			t.Error(err)
		}
		has("a", "bc", "d", "e", "f", "sync")
		time.Sleep(time.Minute)
		has("a", "bc", "d", "e", "f", "sync")
	})
}

func TestWhatWaitsHasABound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(written)
		p := &paced{out: out}
		line := []byte(strings.Repeat("x", 1000) + "\n")
		for range 200 {
			_, _ = p.Write(line)
		}
		if n := len(out.all()); n != 1+200*len(line)/maxHeld {
			t.Errorf("%d writes", n)
		}
		time.Sleep(pace)
		synctest.Wait()
		if all := strings.Join(out.all(), ""); all != string(bytes.Repeat(line, 200)) {
			t.Errorf("%d bytes came out", len(all))
		}
	})
}

// A timer that is late keeps no line back.
func TestLinesDoNotWaitForALateTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := new(written)
		p := &paced{out: out}
		for _, line := range []string{"a", "b"} {
			_, _ = p.Write([]byte(line))
		}
		p.timer.Stop()
		time.Sleep(pace)
		_, _ = p.Write([]byte("c"))
		if got := out.all(); !slices.Equal(got, []string{"a", "bc"}) {
			t.Errorf("%q", got)
		}
	})
}

// What was logged before a start fails is written: the program ends then.
func TestWarningsOfAFailedStartAreWritten(t *testing.T) {
	busy, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	w := &world{traffic: newFake(), log: &output{}, yaml: "listen: " + busy.Addr().String() + "\nadmin: {listen: 127.0.0.1:0}\n" + oneRoute +
		"policy: {rules: [{name: all, match: {mode: form}, decline: }, {name: b, match: {mode: form}, decline: }, {name: c, match: {mode: form}, decline: }]}\n"}
	o, out := w.options(), new(written)
	o.Output = &paced{out: out}
	if _, err = New(o); err == nil {
		t.Fatal("it started")
	}
	if got := strings.Join(out.all(), ""); strings.Count(got, "never decides") != 2 {
		t.Errorf("%v, and of two warnings:\n%s", err, got)
	}
}
