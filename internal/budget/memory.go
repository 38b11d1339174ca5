package budget

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// MaxBuckets is how many buckets a Memory keeps when it is not told.
const MaxBuckets = 1 << 16

// Memory is the Store of one process. It is bounded: the bucket that was longest not
// used is forgotten for a new one.
type Memory struct {
	max        int
	forgetting func()

	mu      sync.Mutex
	buckets map[Key]*list.Element
	used    list.List // of *bucket, the last used first
}

type bucket struct {
	key    Key
	tokens float64
	at     time.Time // when it had them
}

// NewMemory makes a store of at most max buckets; 0 is MaxBuckets. forgetting is called
// when one is forgotten that was not full, from within Take; it may be nil.
func NewMemory(max int, forgetting func()) *Memory {
	if max <= 0 {
		max = MaxBuckets
	}
	if forgetting == nil {
		forgetting = func() {}
	}
	return &Memory{max: max, forgetting: forgetting, buckets: map[Key]*list.Element{}}
}

// Take implements Store.
func (m *Memory) Take(_ context.Context, charges []Charge, now time.Time) (int, time.Duration, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range charges {
		c := &charges[i]
		if wait := c.lacks(m.level(c, now)); wait > 0 {
			return i, wait, nil
		}
	}
	for i := range charges {
		c := &charges[i]
		m.put(c.Key, m.level(c, now)-float64(c.N), now)
	}
	return -1, 0, nil
}

// level is how many tokens a bucket has now.
func (m *Memory) level(c *Charge, now time.Time) float64 {
	e, ok := m.buckets[c.Key]
	if !ok {
		return float64(c.Max)
	}
	b := e.Value.(*bucket)
	gone := max(0, now.Sub(b.at)) // clocks may go back
	return min(float64(c.Max), b.tokens+gone.Seconds()*c.rate())
}

// rate is how many tokens come back in a second.
func (c *Charge) rate() float64 { return float64(c.Max) / c.Window.Seconds() }

// lacks is how long until a bucket with this many tokens has enough; 0 when it has.
func (c *Charge) lacks(tokens float64) time.Duration {
	const atom = 1e-9 // what rounding may have cost
	missing := float64(c.N) - tokens
	switch {
	case c.N > c.Max:
		return c.Window
	case missing <= atom:
		return 0
	}
	return max(time.Duration(missing/c.rate()*float64(time.Second)), 1)
}

func (m *Memory) put(k Key, tokens float64, now time.Time) {
	if e, ok := m.buckets[k]; ok {
		b := e.Value.(*bucket)
		b.tokens, b.at = tokens, now
		m.used.MoveToFront(e)
		return
	}
	if len(m.buckets) >= m.max {
		oldest := m.used.Back()
		delete(m.buckets, m.used.Remove(oldest).(*bucket).key)
		m.forgetting()
	}
	m.buckets[k] = m.used.PushFront(&bucket{k, tokens, now})
}
