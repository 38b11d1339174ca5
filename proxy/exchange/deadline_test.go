package exchange

import (
	"context"
	"testing"
	"time"
)

// The clock may be set back while a round trip waits, and its deadline may come from
// another process: what has ended the context is what counts.
func TestARoundTripIsOverWhenItsContextSaysSo(t *testing.T) {
	whole, cancel := context.WithCancel(t.Context())
	defer cancel()
	trip := &trip{ctx: whole, until: time.Now().Add(time.Hour)}
	running, stop := trip.deadline()
	defer stop()
	if trip.ended(running); trip.expired(time.Now()) {
		t.Error("it is over while it has an hour")
	}
	over, stop := context.WithDeadline(whole, time.Now().Add(-time.Second))
	defer stop()
	if trip.ended(over); !trip.expired(time.Now()) {
		t.Error("its context has ended, and it goes on")
	}
	cancel()
	if trip.expired(time.Now()) {
		t.Error("what was cancelled counts as over time")
	}
}

func TestACancelledRoundTripIsNotOverTime(t *testing.T) {
	whole, cancel := context.WithCancel(t.Context())
	trip := &trip{ctx: whole, until: time.Now().Add(time.Hour)}
	running, stop := trip.deadline()
	defer stop()
	cancel()
	if trip.ended(running); trip.expired(time.Now()) {
		t.Error("it was cancelled, and counts as over time")
	}
}
