package upstream

import "sync"

// recent is a map that remembers at least the max entries used last, and never more than twice as many: when the younger
// half is full the older one is forgotten.
type recent[K comparable, V any] struct {
	max int

	mu           sync.RWMutex
	young, old   map[K]V
	onForgetting func() // called, unlocked, each time a half is forgotten; may be nil
}

func newRecent[K comparable, V any](max int) *recent[K, V] {
	return &recent[K, V]{max: max, young: map[K]V{}}
}

func (r *recent[K, V]) get(k K) (V, bool) {
	r.mu.RLock()
	v, ok := r.young[k]
	old := false
	if !ok {
		v, old = r.old[k]
	}
	r.mu.RUnlock()
	if old {
		r.put(k, v)
	}
	return v, ok || old
}

func (r *recent[K, V]) put(k K, v V) {
	r.mu.Lock()
	forgot := false
	if _, ok := r.young[k]; !ok && len(r.young) >= r.max {
		forgot = len(r.old) > 0
		r.young, r.old = map[K]V{}, r.young
	}
	r.young[k] = v
	r.mu.Unlock()
	if forgot && r.onForgetting != nil {
		r.onForgetting()
	}
}

func (r *recent[K, V]) forget(k K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.young, k)
	delete(r.old, k)
}
