package upstream

import (
	"hash/maphash"
	"sync"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/toolschema"
)

// listsMax is how many lists are remembered.
const listsMax = 16

// Lists remembers of the tool lists that came last what was found in them: a server sends the same one again and again, and
// looking through it costs more than passing it on. It is safe for concurrent use.
type Lists struct {
	seed maphash.Seed

	mu    sync.Mutex
	known [listsMax]judged
	next  int // to be forgotten
}

// judged is what is known of a list.
type judged struct {
	hash         uint64
	size         int
	told, lacked trait
}

// trait is something that a list has or lacks.
type trait uint8

const (
	annotations trait = 1 << iota // x-mcp-header
	change                        // what legacy clients must not be shown as it is
)

func (l *Lists) init() { l.seed = maphash.MakeSeed() }

// Lists is what is remembered of the server's tool lists.
func (u *Upstream) Lists() *Lists { return &u.lists }

// Unchanged tells whether it is known that a list goes to legacy clients as it is.
func (l *Lists) Unchanged(m *wire.Scanner) bool { return l.lacks(m, change, nil) }

// NoteUnchanged remembers that.
func (l *Lists) NoteUnchanged(m *wire.Scanner) {
	l.lacks(m, change, func([]byte) bool { return false })
}

// marked tells whether a list may have annotations: false is certain.
func (l *Lists) marked(m *wire.Scanner) bool { return !l.lacks(m, annotations, toolschema.Marked) }

// lacks tells whether a list is known to lack a trait, and looks if that is not known; without a look it lacks nothing.
func (l *Lists) lacks(m *wire.Scanner, t trait, has func(result []byte) bool) bool {
	hash, size := m.ResultDigest(l.seed)
	if told, lacked := l.find(hash, size); told&t != 0 || has == nil {
		return lacked&t != 0
	}
	lacks := !has(m.Result.Of(m.Bytes()))
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.at(hash, size)
	if k == nil {
		k = &l.known[l.next]
		*k = judged{hash: hash, size: size}
		l.next = (l.next + 1) % listsMax
	}
	k.told |= t
	if lacks {
		k.lacked |= t
	}
	return lacks
}

func (l *Lists) find(hash uint64, size int) (told, lacked trait) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k := l.at(hash, size); k != nil {
		return k.told, k.lacked
	}
	return 0, 0
}

// at is called with mu held.
func (l *Lists) at(hash uint64, size int) *judged {
	for i := range l.known {
		if k := &l.known[i]; k.hash == hash && k.size == size && k.told != 0 {
			return k
		}
	}
	return nil
}
