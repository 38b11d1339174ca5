package session

import (
	"container/list"
	"sync"
)

// shardCount spreads sessions, whose ids are random, over locks.
const shardCount = 64

func shardOf(id ID) int { return int(id[0]) % shardCount }

// table maps sessions to values within a budget. Reading takes one lock of many; writing is rarer and goes through one
// more, which keeps the entries in the order they came, so that the very oldest goes when the budget is spent. An entry
// that alone exceeds the budget stays until the next one comes.
type table[V any] struct {
	budget int
	shards [shardCount]tableShard[V]

	mu    sync.Mutex // taken before a shard's
	order list.List  // of entry, oldest first
	index map[ID]*list.Element
	spent int
}

type tableShard[V any] struct {
	mu sync.RWMutex
	m  map[ID]V
	_  [32]byte // shards do not share a cache line
}

type entry struct {
	id   ID
	cost int
}

func newTable[V any](budget int) *table[V] {
	t := &table[V]{budget: budget, index: make(map[ID]*list.Element)}
	for i := range t.shards {
		t.shards[i].m = make(map[ID]V)
	}
	return t
}

func (t *table[V]) get(id ID) (V, bool) {
	s := &t.shards[shardOf(id)]
	s.mu.RLock()
	defer s.mu.RUnlock()
	v, ok := s.m[id]
	return v, ok
}

// set stores a value and tells how many others had to go for it.
func (t *table[V]) set(id ID, v V, cost int) (dropped int) {
	return t.update(id, func(V) (V, int) { return v, cost })
}

// update replaces a value, the zero value when there is none yet, by what f makes of it; a cost of 0 removes it. It tells
// how many others had to go.
func (t *table[V]) update(id ID, f func(V) (V, int)) (dropped int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, _ := t.get(id)
	v, cost := f(old)
	if cost == 0 {
		t.drop(id)
		return 0
	}
	if e, ok := t.index[id]; ok {
		t.spent += cost - e.Value.(entry).cost
		e.Value = entry{id, cost}
	} else {
		t.index[id] = t.order.PushBack(entry{id, cost})
		t.spent += cost
	}
	for t.spent > t.budget {
		oldest := t.order.Front().Value.(entry).id
		if oldest == id {
			if t.order.Len() == 1 {
				break
			}
			oldest = t.order.Front().Next().Value.(entry).id
		}
		t.drop(oldest)
		dropped++
	}
	s := &t.shards[shardOf(id)]
	s.mu.Lock()
	s.m[id] = v
	s.mu.Unlock()
	return dropped
}

func (t *table[V]) remove(id ID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(id)
}

// expire drops entries from the oldest on, as far as old says so.
func (t *table[V]) expire(old func(V) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for e := t.order.Front(); e != nil; e = t.order.Front() {
		id := e.Value.(entry).id
		if v, _ := t.get(id); !old(v) {
			return
		}
		t.drop(id)
	}
}

// drop needs t.mu.
func (t *table[V]) drop(id ID) {
	e, ok := t.index[id]
	if !ok {
		return
	}
	t.spent -= e.Value.(entry).cost
	t.order.Remove(e)
	delete(t.index, id)
	s := &t.shards[shardOf(id)]
	s.mu.Lock()
	delete(s.m, id)
	s.mu.Unlock()
}
