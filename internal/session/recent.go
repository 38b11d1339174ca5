package session

import (
	"hash/maphash"
	"sync/atomic"
)

// recentSlots is how many sessions are remembered at most: those that are in use at one time, rather than all there are.
const recentSlots = 1024

// recent remembers what the session ids that came last hold, since most come again at once. The zero value is empty, and it
// is safe for concurrent use. An id has one slot, which the next id of the same slot takes over.
type recent struct {
	slots [recentSlots]atomic.Pointer[opened]
}

// opened is a session id that has been opened.
type opened struct {
	route, token string
	claims       *Claims // never changed
}

var recentSeed = maphash.MakeSeed() // so that nobody can choose ids for a slot

func (r *recent) slot(token string) *atomic.Pointer[opened] {
	return &r.slots[maphash.String(recentSeed, token)%recentSlots]
}

// find is what an id holds, nil when it is not remembered.
func (r *recent) find(route, token string) *Claims {
	if o := r.slot(token).Load(); o != nil && o.token == token && o.route == route {
		return o.claims
	}
	return nil
}

func (r *recent) keep(route, token string, c *Claims) {
	r.slot(token).Store(&opened{route, token, c})
}
