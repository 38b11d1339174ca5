package session_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session/storetest"
)

func TestMemoryIsAStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(*testing.T) session.Store { return session.NewMemory(session.Options{}) })
}

type silent struct{}

func (silent) Cancelled()    {}
func (silent) SessionEnded() {}

// counted makes a store that notes which bounds were hit, in order.
func counted(o session.Options) (*session.Memory, *[]session.Table) {
	hits := new([]session.Table)
	o.Full = func(t session.Table) { *hits = append(*hits, t) }
	return session.NewMemory(o), hits
}

func wantHits(t *testing.T, hits *[]session.Table, want ...session.Table) {
	t.Helper()
	if !slices.Equal(*hits, want) {
		t.Errorf("bounds hit: %v, want %v", *hits, want)
	}
}

func TestTheOldestEndedSessionGoesFirst(t *testing.T) {
	t.Parallel()
	m, hits := counted(session.Options{MaxEnded: 3})
	ids := make([]session.ID, 5)
	for i := range ids {
		ids[i] = session.NewID()
		m.End(ids[i], time.Time{})
	}
	for i, want := range []bool{false, false, true, true, true} {
		if m.Ended(ids[i]) != want {
			t.Errorf("session %d: ended %v", i, !want)
		}
	}
	wantHits(t, hits, session.TableEnded, session.TableEnded)
}

// Marks that have outlived their sessions make room without being counted as lost.
func TestExpiredMarksGoByThemselves(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	m, hits := counted(session.Options{MaxEnded: 2, Now: func() time.Time { return now }})
	old, young := session.NewID(), session.NewID()
	m.End(old, now.Add(time.Minute))
	m.End(young, now.Add(time.Hour))
	now = now.Add(2 * time.Minute)
	m.End(session.NewID(), now.Add(time.Hour))
	if m.Ended(old) || !m.Ended(young) {
		t.Errorf("ended: old %v, young %v", m.Ended(old), m.Ended(young))
	}
	wantHits(t, hits)
}

func TestLogLevelsAreBounded(t *testing.T) {
	t.Parallel()
	m, hits := counted(session.Options{MaxLogLevels: 2})
	a, b, c := session.NewID(), session.NewID(), session.NewID()
	m.SetLogLevel(a, "debug")
	m.SetLogLevel(b, "debug")
	m.SetLogLevel(b, "info")
	m.SetLogLevel(c, "debug")
	if m.LogLevel(a) != "" || m.LogLevel(b) != "info" || m.LogLevel(c) != "debug" {
		t.Errorf("levels %q %q %q", m.LogLevel(a), m.LogLevel(b), m.LogLevel(c))
	}
	wantHits(t, hits, session.TableLogLevels)
}

func TestSubscriptionsOfOneSessionAreBounded(t *testing.T) {
	t.Parallel()
	m, hits := counted(session.Options{MaxSubscriptions: 2, MaxSubscriptionBytes: 10})
	id := session.NewID()
	for uri, want := range map[string]error{"12345678901": session.ErrFull, strings.Repeat("x", 1<<20): session.ErrFull} {
		if err := m.Subscribe(id, uri); !errors.Is(err, want) {
			t.Errorf("%.20q: %v", uri, err)
		}
	}
	for i, want := range []error{nil, nil, session.ErrFull} {
		if err := m.Subscribe(id, fmt.Sprint(i)); !errors.Is(err, want) {
			t.Errorf("subscription %d: %v, want %v", i, err, want)
		}
	}
	if err := m.Subscribe(id, "1"); err != nil {
		t.Errorf("one that is there already: %v", err)
	}
	wantHits(t, hits, session.TableSubscriptions, session.TableSubscriptions, session.TableSubscriptions)
}

// Sessions that vanish without DELETE leave their subscriptions to those that come after them.
func TestAllSubscriptionsShareABudget(t *testing.T) {
	t.Parallel()
	m, hits := counted(session.Options{MaxAllSubscriptions: 1000})
	gone, first, second := session.NewID(), session.NewID(), session.NewID()
	for _, id := range []session.ID{gone, first, second} {
		if err := m.Subscribe(id, strings.Repeat("x", 300)); err != nil {
			t.Fatal(err)
		}
	}
	if m.Subscriptions(gone) != nil || m.Subscriptions(first) == nil || m.Subscriptions(second) == nil {
		t.Error("not the oldest went")
	}
	wantHits(t, hits, session.TableSubscriptions)
	if err := m.Subscribe(first, strings.Repeat("y", 300)); err != nil { // the oldest now, and the one that grows
		t.Fatal(err)
	}
	if len(m.Subscriptions(first)) != 2 || m.Subscriptions(second) != nil {
		t.Error("a session lost its own subscriptions by adding one")
	}
	m.Unsubscribe(first, strings.Repeat("y", 300))
	if err := m.Subscribe(second, strings.Repeat("x", 300)); err != nil {
		t.Fatal(err)
	}
	if m.Subscriptions(first) == nil || m.Subscriptions(second) == nil {
		t.Error("what was given back was not free for others")
	}
}

func TestRenewedCredentialsAreBounded(t *testing.T) {
	t.Parallel()
	m, hits := counted(session.Options{MaxCredentialBytes: 1000})
	ids := []session.ID{session.NewID(), session.NewID(), session.NewID()}
	for _, id := range ids {
		m.Renew(id, strings.Repeat("x", 300))
	}
	if m.Renewed(ids[0]) != "" || m.Renewed(ids[1]) == "" || m.Renewed(ids[2]) == "" {
		t.Error("not the oldest went")
	}
	wantHits(t, hits, session.TableCredentials)
}

func TestTheMailboxIsBounded(t *testing.T) {
	t.Parallel()
	m, hits := counted(session.Options{MaxExchanges: 2, MaxAsks: 2, MaxStreams: 2})
	open := map[session.Table]func(n int) (func(), error){
		session.TableExchanges: func(n int) (func(), error) { return m.Enter(session.NewID(), fmt.Sprint(n), silent{}) },
		session.TableAsks:      func(n int) (func(), error) { return m.Expect(session.NewID(), fmt.Sprint(n), func([]byte) {}) },
		session.TableStreams:   func(int) (func(), error) { return m.Attach(session.NewID(), func() {}) },
	}
	for table, one := range open {
		*hits = nil
		for round := range 3 { // places that were given back, twice at that, are there again and no more than that
			a, errA := one(1)
			b, errB := one(2)
			_, err := one(3)
			if errA != nil || errB != nil || !errors.Is(err, session.ErrFull) {
				t.Fatalf("%v, round %d: %v, %v, %v; want the third to be too much", table, round, errA, errB, err)
			}
			a()
			a()
			b()
		}
		wantHits(t, hits, table, table, table)
	}
}

// A delivered ask and a refused id give their places back.
func TestPlacesAreGivenBack(t *testing.T) {
	t.Parallel()
	m := session.NewMemory(session.Options{MaxExchanges: 2, MaxAsks: 2})
	id := session.NewID()
	leave, err := m.Enter(id, `1`, silent{})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := m.Enter(id, `1`, silent{}); !errors.Is(err, session.ErrInUse) {
			t.Fatalf("%v, want in use", err)
		}
		forget, err := m.Expect(id, "ask", func([]byte) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Expect(id, "ask", func([]byte) {}); !errors.Is(err, session.ErrInUse) {
			t.Fatalf("%v, want in use", err)
		}
		m.Deliver(id, "ask", nil)
		forget()
	}
	leave()
}

func TestEveryTableHasAName(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for table := session.TableEnded; table <= session.TableStreams; table++ {
		if name := table.String(); name == "" || seen[name] {
			t.Errorf("table %d is called %q", table, name)
		}
		seen[table.String()] = true
	}
}

func TestEnteringAllocatesLittle(t *testing.T) {
	m := session.NewMemory(session.Options{})
	id := session.NewID()
	var b session.Box = silent{}
	if n := testing.AllocsPerRun(100, func() {
		leave, _ := m.Enter(id, `17`, b)
		leave()
	}); n > 1 {
		t.Errorf("%v allocations, want 1", n)
	}
	if n := testing.AllocsPerRun(100, func() { m.Ended(id); m.LogLevel(id) }); n != 0 {
		t.Errorf("%v allocations to read", n)
	}
}

func BenchmarkEnterAndLeave(b *testing.B) {
	m := session.NewMemory(session.Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		id := session.NewID()
		for pb.Next() {
			leave, _ := m.Enter(id, `17`, silent{})
			leave()
		}
	})
}

func BenchmarkEndedAndLogLevel(b *testing.B) {
	m := session.NewMemory(session.Options{})
	for range 10_000 {
		m.End(session.NewID(), time.Time{})
	}
	b.RunParallel(func(pb *testing.PB) {
		id := session.NewID()
		for pb.Next() {
			m.Ended(id)
			m.LogLevel(id)
		}
	})
}
