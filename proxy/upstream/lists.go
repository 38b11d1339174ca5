package upstream

import (
	"slices"
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
	if m.Recognised() != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[l.next].tools != nil {
		if l.since = (l.since + 1) % forgetEvery; l.since != 0 {
			return
		}
	}
	k := m.Know()
	if k == nil || slices.ContainsFunc(l.known[:], func(j judged) bool { return j.tools != nil && j.tools.Same(k) }) {
		return // it is not worth it, or has come twice at once
	}
	l.known[l.next] = judged{tools: k}
	l.next = (l.next + 1) % listsMax
}

// Unchanged tells whether it is known that a list goes to legacy clients as it is.
func (l *Lists) Unchanged(m *wire.Scanner) bool {
	_, lacked := l.find(m.Recognised())
	return lacked&change != 0
}

// NoteUnchanged remembers that.
func (l *Lists) NoteUnchanged(m *wire.Scanner) { l.note(m.Recognised(), change, change) }

// marked tells whether a list may have annotations: false is certain. Only the tools of a list have some.
func (l *Lists) marked(m *wire.Scanner) bool {
	k := m.Recognised()
	if told, lacked := l.find(k); told&annotations != 0 {
		return lacked&annotations == 0
	}
	if toolschema.Marked(m.Result.Of(m.Bytes())) {
		l.note(k, annotations, 0)
		return true
	}
	l.note(k, annotations, annotations)
	return false
}

func (l *Lists) find(k *wire.Known) (told, lacked trait) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.at(k); j != nil {
		return j.told, j.lacked
	}
	return 0, 0
}

func (l *Lists) note(k *wire.Known, told, lacked trait) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j := l.at(k); j != nil {
		j.told |= told
		j.lacked |= lacked
	}
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
