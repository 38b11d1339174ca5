// Package storetest holds what every session.Store has to do, as a suite to run against each.
package storetest

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// Run runs the suite; open makes an empty store with bounds no smaller than the default ones.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	for name, test := range map[string]func(*testing.T, session.Store){
		"an ended session stays ended":              endedStaysEnded,
		"an ended session keeps nothing":            endedKeepsNothing,
		"log levels":                                logLevels,
		"subscriptions":                             subscriptions,
		"subscriptions are bounded":                 subscriptionsAreBounded,
		"the newest credential counts":              credentials,
		"a request id is used once":                 requestIDs,
		"a cancel reaches its exchange":             cancel,
		"an answer reaches who expects it":          answers,
		"a forgotten ask gets no answer":            forgotten,
		"one of many deliveries wins":               deliveredOnce,
		"an end reaches all of the session":         endSession,
		"an end misses nobody who enters meanwhile": endWhileEntering,
		"use from many goroutines":                  concurrentUse,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func endedStaysEnded(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	if s.Ended(ann) {
		t.Error("ended before its end")
	}
	for range 2 {
		s.End(ann, time.Now().Add(time.Hour))
		if !s.Ended(ann) || s.Ended(bob) {
			t.Errorf("ended: ann %v, bob %v; want ann alone", s.Ended(ann), s.Ended(bob))
		}
	}
	s.End(bob, time.Time{})
	if !s.Ended(ann) || !s.Ended(bob) {
		t.Error("a second end undid the first, or one without a time did nothing")
	}
}

func endedKeepsNothing(t *testing.T, s session.Store) {
	id := session.NewID()
	fill := func() {
		s.SetLogLevel(id, "debug")
		if err := s.Subscribe(id, "f://a"); err != nil {
			t.Error(err)
		}
		s.Renew(id, "Bearer a")
	}
	fill()
	s.End(id, time.Now().Add(time.Hour))
	for _, when := range []string{"at its end", "after its end"} {
		if l, subs, c := s.LogLevel(id), s.Subscriptions(id), s.Renewed(id); l != "" || subs != nil || c != "" {
			t.Errorf("%s: level %q, subscriptions %q, credential %q", when, l, subs, c)
		}
		fill()
	}
}

func logLevels(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	s.SetLogLevel(ann, "debug")
	s.SetLogLevel(bob, "error")
	s.SetLogLevel(ann, "warning")
	if a, b, none := s.LogLevel(ann), s.LogLevel(bob), s.LogLevel(session.NewID()); a != "warning" || b != "error" || none != "" {
		t.Errorf("levels %q, %q, %q", a, b, none)
	}
}

func subscriptions(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	for _, uri := range []string{"f://b", "f://a", "f://b", "f://c"} {
		if err := s.Subscribe(ann, uri); err != nil {
			t.Fatal(err)
		}
	}
	if !s.Unsubscribe(ann, "f://c") || s.Unsubscribe(ann, "f://c") || s.Unsubscribe(bob, "f://a") {
		t.Error("Unsubscribe does not tell what was there")
	}
	got := s.Subscriptions(ann)
	if want := []string{"f://a", "f://b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got[0] = "changed by the caller"
	if s.Subscriptions(ann)[0] != "f://a" {
		t.Error("the list is shared with its reader")
	}
	if s.Subscriptions(bob) != nil {
		t.Error("another session's")
	}
	s.Unsubscribe(ann, "f://a")
	s.Unsubscribe(ann, "f://b")
	if s.Subscriptions(ann) != nil {
		t.Error("something is left")
	}
}

func subscriptionsAreBounded(t *testing.T, s session.Store) {
	id := session.NewID()
	var err error
	n := 0
	for ; err == nil && n < 1_000_000; n++ {
		err = s.Subscribe(id, "f://"+strings.Repeat("a", n))
	}
	if !errors.Is(err, session.ErrFull) {
		t.Fatalf("%d subscriptions: %v", n, err)
	}
	if got := len(s.Subscriptions(id)); got != n-1 {
		t.Errorf("%d are kept of %d taken", got, n-1)
	}
	if err := s.Subscribe(id, "f://"); err != nil {
		t.Errorf("one that is there already: %v", err)
	}
	s.Unsubscribe(id, s.Subscriptions(id)[n-2])
	if err := s.Subscribe(id, "f://b"); err != nil {
		t.Errorf("after one went: %v", err)
	}
}

// A request that was on its way when the credential was renewed brings the old one once more.
func credentials(t *testing.T, s session.Store) {
	ann, bob := session.NewID(), session.NewID()
	s.Renew(bob, "Bearer b")
	for _, step := range []struct{ renew, want string }{
		{"", ""}, {"Bearer 1", "Bearer 1"}, {"Bearer 1", "Bearer 1"}, {"Bearer 2", "Bearer 2"}, {"Bearer 1", "Bearer 2"},
		{"Bearer 3", "Bearer 3"}, {"Bearer 2", "Bearer 3"}, {"Bearer 1", "Bearer 3"}, {"", "Bearer 3"},
	} {
		if s.Renew(ann, step.renew); s.Renewed(ann) != step.want {
			t.Errorf("after %q: %q, want %q", step.renew, s.Renewed(ann), step.want)
		}
	}
	if got := s.Renewed(bob); got != "Bearer b" {
		t.Errorf("another session has %q", got)
	}
}

func concurrentUse(t *testing.T, s session.Store) {
	ids := []session.ID{session.NewID(), session.NewID(), session.NewID()}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 50 {
				id := ids[(i+n)%len(ids)]
				s.SetLogLevel(id, "info")
				s.Renew(id, "Bearer "+string(rune('a'+n)))
				s.Renewed(id)
				if err := s.Subscribe(id, "f://x"); err != nil {
					t.Error(err)
				}
				s.LogLevel(id)
				s.Subscriptions(id)
				s.Unsubscribe(id, "f://x")
				s.End(session.NewID(), time.Now())
				if s.Ended(id) {
					t.Error("a live session is ended")
				}
			}
		})
	}
	wg.Wait()
}
