package exchange

import (
	"sync"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Gate counts the round trips that legacy clients have open, in the process and in
// each session. One Gate serves all routes and outlives reloads.
type Gate struct {
	mu       sync.Mutex
	open     int
	sessions map[session.ID]int
}

// NewGate makes a gate with nothing open.
func NewGate() *Gate { return &Gate{sessions: map[session.ID]int{}} }

// enter opens a round trip of a session under the limits, or tells which limit
// stands in the way. These limits hold in observe mode too: they bound memory.
func (g *Gate) enter(session session.ID, l *resolver.Limits) (resolver.Limit, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open >= l.MaxOpenRoundTrips {
		return resolver.MaxOpenRoundTrips, false
	}
	if g.sessions[session] >= l.MaxOpenRoundTripsPerSession {
		return resolver.MaxOpenRoundTripsPerSession, false
	}
	g.open++
	g.sessions[session]++
	return 0, true
}

func (g *Gate) leave(session session.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open--
	if g.sessions[session]--; g.sessions[session] == 0 {
		delete(g.sessions, session)
	}
}
