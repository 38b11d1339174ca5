package upstream

import (
	"sync"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/toolschema"
)

const (
	// listsMax is how many lists are remembered.
	listsMax = 4
	// forgetEvery is of how many lists that are not known one takes the place of another, so that many that come in turn cost
	// little where none of them stays for long.
	forgetEvery = 8
)

// Lists remembers the tool lists that came last, and what was found in them: a server sends the same one again and again, and
// looking through it costs more than passing it on. It is safe for concurrent use.
type Lists struct {
	mu    sync.Mutex
	known [listsMax]judged
	next  int // to be forgotten
	since int // lists that have come since one was
}

// judged is what is known of a list.
type judged struct {
	tools        *wire.Known // nil: there is none
	told, lacked trait
}

// trait is something that a list has or lacks.
type trait uint8

const (
	annotations trait = 1 << iota // x-mcp-header
	change                        // what legacy clients must not be shown as it is
)

// Lists is what is remembered of the server's tool lists.
func (u *Upstream) Lists() *Lists { return &u.lists }

// recall is what a scanner of a tool list looks out for. dst is the storage to use.
func (l *Lists) recall(dst []*wire.Known) []*wire.Known {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.known {
		if k := l.known[i].tools; k != nil {
			dst = append(dst, k)
		}
	}
	return dst
}

// remember takes note of a list that has come whole.
func (l *Lists) remember(m *wire.Scanner) {
	if m.Recognised() != nil || !l.room() {
		return
	}
	k := m.Know()
	if k == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[l.next] = judged{tools: k}
	l.next = (l.next + 1) % listsMax
}

// room tells whether there is room for another list, or one may be forgotten for it.
func (l *Lists) room() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[l.next].tools == nil {
		return true
	}
	l.since = (l.since + 1) % forgetEvery
	return l.since == 0
}

// Unchanged tells whether it is known that a list goes to legacy clients as it is.
func (l *Lists) Unchanged(m *wire.Scanner) bool { return l.lacks(m, change, nil) }

// NoteUnchanged remembers that.
func (l *Lists) NoteUnchanged(m *wire.Scanner) {
	l.lacks(m, change, func([]byte) bool { return false })
}

// marked tells whether a list may have annotations: false is certain.
func (l *Lists) marked(m *wire.Scanner) bool { return !l.lacks(m, annotations, toolschema.Marked) }

// lacks tells whether a list is known to lack a trait, and looks if that is not known; without a look it lacks nothing.
// Only the tools of a list have traits.
func (l *Lists) lacks(m *wire.Scanner, t trait, has func(result []byte) bool) bool {
	k := m.Recognised()
	if told, lacked := l.find(k); told&t != 0 || has == nil {
		return lacked&t != 0
	}
	lacks := !has(m.Result.Of(m.Bytes()))
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.at(k); j != nil {
		j.told |= t
		if lacks {
			j.lacked |= t
		}
	}
	return lacks
}

func (l *Lists) find(k *wire.Known) (told, lacked trait) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.at(k); j != nil {
		return j.told, j.lacked
	}
	return 0, 0
}

// at is called with mu held.
func (l *Lists) at(k *wire.Known) *judged {
	for i := range l.known {
		if j := &l.known[i]; j.tools == k && k != nil {
			return j
		}
	}
	return nil
}
