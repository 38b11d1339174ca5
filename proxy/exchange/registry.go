package exchange

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Why a new exchange is not taken.
var (
	// ErrDraining: the daemon stops and takes nothing new.
	ErrDraining = errors.New("the proxy is shutting down")
	// ErrTooMany: as many exchanges run as the registry allows.
	ErrTooMany = errors.New("too many requests at once")
)

// Registry knows the exchanges that run in the process, bounds them, and ends them
// all when the daemon stops.
type Registry struct {
	max int

	mu       sync.Mutex
	first    *Exchange
	running  int
	draining bool
	idle     chan struct{} // closed once draining and nothing runs
}

// NewRegistry makes a registry for at most max exchanges at once.
func NewRegistry(max int) *Registry {
	return &Registry{max: max, idle: make(chan struct{})}
}

// Begin starts an exchange; Leave must be called when it has ended. It fails with
// ErrDraining or ErrTooMany.
func (r *Registry) Begin(now time.Time) (*Exchange, error) {
	x := &Exchange{Began: now, registry: r}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.draining:
		return nil, ErrDraining
	case r.running >= r.max:
		return nil, ErrTooMany
	}
	x.life.begin()
	r.running++
	if x.next = r.first; x.next != nil {
		x.next.prev = x
	}
	r.first = x
	return x, nil
}

// Leave takes an exchange that has ended off the registry.
func (x *Exchange) Leave() {
	x.life.end(context.Canceled)
	r := x.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.prev != nil {
		x.prev.next = x.next
	} else {
		r.first = x.next
	}
	if x.next != nil {
		x.next.prev = x.prev
	}
	x.prev, x.next = nil, nil
	if r.running--; r.running == 0 && r.draining {
		close(r.idle)
	}
}

// Running is the number of exchanges that run now.
func (r *Registry) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running
}

// farewell is how long exchanges that Drain has ended may take to tell their clients.
const farewell = 5 * time.Second

// Drain takes no new exchange and waits for the running ones. When ctx ends they are
// ended with ErrShuttingDown, and have a few seconds to tell their clients.
func (r *Registry) Drain(ctx context.Context) {
	r.mu.Lock()
	if !r.draining {
		r.draining = true
		if r.running == 0 {
			close(r.idle)
		}
	}
	r.mu.Unlock()
	select {
	case <-r.idle:
		return
	case <-ctx.Done():
	}
	r.mu.Lock()
	for x := r.first; x != nil; x = x.next {
		x.End(ErrShuttingDown)
	}
	r.mu.Unlock()
	select {
	case <-r.idle:
	case <-time.After(farewell):
	}
}
