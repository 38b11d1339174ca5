package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// box counts what it is told.
type box struct{ cancelled, ended atomic.Int32 }

func (b *box) Cancelled()    { b.cancelled.Add(1) }
func (b *box) SessionEnded() { b.ended.Add(1) }

func enter(t *testing.T, s session.Store, id session.ID, request string) (*box, func()) {
	t.Helper()
	b := new(box)
	leave, err := s.Enter(id, request, b)
	if err != nil {
		t.Fatal(err)
	}
	return b, leave
}

// The number 7 and the string "7" are two ids, and another session may use either.
func requestIDs(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	_, leave := enter(t, s, ann, `7`)
	_, leaveString := enter(t, s, ann, `"7"`)
	_, leaveBob := enter(t, s, bob, `7`)
	defer leaveString()
	defer leaveBob()
	if l, err := s.Enter(ann, `7`, new(box)); !errors.Is(err, session.ErrInUse) || l != nil {
		t.Errorf("an id in use: %v", err)
	}
	leave()
	again, leaveAgain := enter(t, s, ann, `7`)
	leave() // of the first, who is long gone
	if !s.Cancel(ann, `7`) || again.cancelled.Load() != 1 {
		t.Error("leaving twice took a later exchange along")
	}
	leaveAgain()
	if s.Cancel(ann, `7`) {
		t.Error("cancelled one that left")
	}
}

func cancel(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	number, l1 := enter(t, s, ann, `1`)
	text, l2 := enter(t, s, ann, `"1"`)
	other, l3 := enter(t, s, bob, `1`)
	defer l1()
	defer l2()
	defer l3()
	if !s.Cancel(ann, `1`) {
		t.Error("nobody there")
	}
	if s.Cancel(ann, `2`) || s.Cancel(session.NewID(), `1`) {
		t.Error("cancelled what is not there")
	}
	if n, x, o := number.cancelled.Load(), text.cancelled.Load(), other.cancelled.Load(); n != 1 || x != 0 || o != 0 {
		t.Errorf("told %d, %d and %d times; want the first alone", n, x, o)
	}
	if number.ended.Load() != 0 {
		t.Error("a cancel is no end")
	}
}

func answers(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	var got []byte
	forget, err := s.Expect(ann, "ask-1", func(m []byte) { got = m })
	if err != nil {
		t.Fatal(err)
	}
	defer forget()
	if _, err := s.Expect(ann, "ask-1", func([]byte) {}); !errors.Is(err, session.ErrInUse) {
		t.Errorf("an ask twice: %v", err)
	}
	if s.Deliver(bob, "ask-1", []byte("bob's")) || s.Deliver(ann, "ask-2", []byte("another")) {
		t.Error("somebody waits for what was not asked")
	}
	if !s.Deliver(ann, "ask-1", []byte("yes")) || string(got) != "yes" {
		t.Errorf("got %q", got)
	}
	if s.Deliver(ann, "ask-1", []byte("again")) || string(got) != "yes" {
		t.Errorf("answered twice: %q", got)
	}
}

func forgotten(t *testing.T, s session.Store) {
	ann := session.NewID()
	fail := func(m []byte) { t.Errorf("delivered %q", m) }
	forget, err := s.Expect(ann, "ask", fail)
	if err != nil {
		t.Fatal(err)
	}
	forget()
	if s.Deliver(ann, "ask", []byte("late")) {
		t.Error("somebody waits")
	}
	got := 0
	again, err := s.Expect(ann, "ask", func([]byte) { got++ })
	if err != nil {
		t.Fatal(err)
	}
	forget() // of the first, which is long gone
	if !s.Deliver(ann, "ask", nil) || got != 1 {
		t.Error("forgetting twice took a later ask along")
	}
	again()
}

func deliveredOnce(t *testing.T, s session.Store) {
	ann := session.NewID()
	for range 100 {
		var calls, taken atomic.Int32
		forget, err := s.Expect(ann, "ask", func([]byte) { calls.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if s.Deliver(ann, "ask", nil) {
					taken.Add(1)
				}
			})
		}
		wg.Wait()
		forget()
		if calls.Load() != 1 || taken.Load() != 1 {
			t.Fatalf("%d calls, %d deliveries taken", calls.Load(), taken.Load())
		}
	}
}

func endSession(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	first, l1 := enter(t, s, ann, `1`)
	second, l2 := enter(t, s, ann, `2`)
	gone, l3 := enter(t, s, ann, `3`)
	other, l4 := enter(t, s, bob, `1`)
	defer l1()
	defer l2()
	l3()
	defer l4()
	var closed, detached, others atomic.Int32
	attach := func(id session.ID, n *atomic.Int32) func() {
		detach, err := s.Attach(id, func() { n.Add(1) })
		if err != nil {
			t.Fatal(err)
		}
		return detach
	}
	defer attach(ann, &closed)()
	defer attach(ann, &closed)()
	defer attach(bob, &others)()
	detach := attach(ann, &detached)
	detach()
	detach()

	s.End(ann, time.Now().Add(time.Hour))
	s.EndSession(ann)
	for what, n := range map[string][2]int32{
		"first exchange":     {first.ended.Load(), 1},
		"second exchange":    {second.ended.Load(), 1},
		"one that left":      {gone.ended.Load(), 0},
		"another session's":  {other.ended.Load(), 0},
		"both streams":       {closed.Load(), 2},
		"a detached stream":  {detached.Load(), 0},
		"another's stream":   {others.Load(), 0},
		"cancels in passing": {first.cancelled.Load(), 0},
	} {
		if n[0] != n[1] {
			t.Errorf("%s: told %d times, want %d", what, n[0], n[1])
		}
	}
	late, leave := enter(t, s, ann, `4`)
	defer leave()
	if late.ended.Load() == 0 {
		t.Error("an exchange that came after the end was not told")
	}
	var lateStream atomic.Int32
	defer attach(ann, &lateStream)()
	if lateStream.Load() == 0 {
		t.Error("a stream that came after the end was not told")
	}
}

func endWhileEntering(t *testing.T, s session.Store) {
	for range 200 {
		id := session.NewID()
		b, closed := new(box), new(atomic.Int32)
		var wg sync.WaitGroup
		wg.Go(func() {
			leave, err := s.Enter(id, `1`, b)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(leave)
		})
		wg.Go(func() {
			detach, err := s.Attach(id, func() { closed.Add(1) })
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(detach)
		})
		wg.Go(func() {
			s.End(id, time.Now().Add(time.Hour))
			s.EndSession(id)
		})
		wg.Wait()
		if b.ended.Load() == 0 || closed.Load() == 0 {
			t.Fatalf("exchange told %d times, stream %d times", b.ended.Load(), closed.Load())
		}
	}
}
