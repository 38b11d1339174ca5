package exchange

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// expired is a context that has ended.
func expired() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx, cancel
}

func begin(t *testing.T, r *Registry) *Exchange {
	t.Helper()
	x, err := r.Begin(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestRegistryIsBounded(t *testing.T) {
	r := NewRegistry(2)
	a, b := begin(t, r), begin(t, r)
	if _, err := r.Begin(time.Now()); !errors.Is(err, ErrTooMany) {
		t.Errorf("a third exchange: %v, want ErrTooMany", err)
	}
	a.Leave()
	c := begin(t, r)
	for _, x := range []*Exchange{b, c} { // in another order than they came
		x.Leave()
	}
	if n := r.Running(); n != 0 {
		t.Errorf("%d running", n)
	}
}

func TestAnExchangeEndsForItsFirstCause(t *testing.T) {
	r := NewRegistry(1)
	x := begin(t, r)
	x.Cancelled()
	x.SessionEnded()
	x.End(ErrDropped)
	if cause := context.Cause(x.Context()); !errors.Is(cause, ErrCancelled) {
		t.Errorf("cause %v", cause)
	}
	x.Leave()
}

func TestDrainIsIdleAtOnceWhenNothingRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry(2)
		began := time.Now()
		r.Drain(context.Background())
		r.Drain(context.Background()) // again
		if _, err := r.Begin(time.Now()); !errors.Is(err, ErrDraining) {
			t.Errorf("%v, want ErrDraining", err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("took %v", took)
		}
	})
}

func TestDrainWaitsForWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := NewRegistry(3)
		began := time.Now()
		for i := range 3 {
			x := begin(t, r)
			go func() {
				time.Sleep(time.Duration(i+1) * time.Second)
				if err := x.Context().Err(); err != nil {
					t.Errorf("ended before its time: %v", context.Cause(x.Context()))
				}
				x.Leave()
			}()
		}
		go r.Drain(context.Background()) // twice at once
		r.Drain(context.Background())
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestDrainEndsWhatIsStillRunning(t *testing.T) {
	for _, c := range []struct {
		name    string
		goodbye time.Duration // of an exchange that is told to end
		want    time.Duration
	}{
		{"an exchange that tells its client", 100 * time.Millisecond, time.Second + 100*time.Millisecond},
		{"an exchange that does not end", time.Minute, time.Second + farewell},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := NewRegistry(2)
				quick, slow := begin(t, r), begin(t, r)
				quick.Leave()
				var ended sync.WaitGroup
				defer ended.Wait()
				ended.Go(func() {
					<-slow.Context().Done()
					time.Sleep(c.goodbye)
					slow.Leave()
				})
				ctx, cancel := context.WithTimeout(context.Background(), time.Second)
				defer cancel()
				began := time.Now()
				r.Drain(ctx)
				if took := time.Since(began); took != c.want {
					t.Errorf("took %v, want %v", took, c.want)
				}
				if cause := context.Cause(slow.Context()); !errors.Is(cause, ErrShuttingDown) {
					t.Errorf("cause %v", cause)
				}
			})
		})
	}
}

func TestGateCountsProcessAndSessions(t *testing.T) {
	g := NewGate()
	l := &resolver.Limits{MaxOpenRoundTrips: 3, MaxOpenRoundTripsPerSession: 2}
	a, b := session.ID{1}, session.ID{2}
	for _, step := range []struct {
		who   session.ID
		limit resolver.Limit // 0: enters
	}{
		{a, 0}, {a, 0}, {a, resolver.MaxOpenRoundTripsPerSession}, {b, 0}, {b, resolver.MaxOpenRoundTrips}, {a, resolver.MaxOpenRoundTrips},
	} {
		if limit, ok := g.enter(step.who, l); limit != step.limit || ok != (step.limit == 0) {
			t.Errorf("session %d: %v %v, want %v", step.who[0], limit, ok, step.limit)
		}
	}
	g.leave(a)
	if _, ok := g.enter(b, l); !ok {
		t.Error("no room after one left")
	}
	for _, id := range []session.ID{a, b, b} {
		g.leave(id)
	}
	if g.open != 0 || len(g.sessions) != 0 {
		t.Errorf("%d open in %d sessions", g.open, len(g.sessions))
	}
}
