package budget

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// Scope says who has a bucket of their own.
type Scope uint8

// The scopes.
const (
	Principal Scope = iota
	Session         // of a legacy client; a modern one has none, and counts as its principal
	Route
	Tool   // or prompt, or resource: what the request names, on its route
	Client // by the name that it gives itself
)

// Budget is one of a configuration.
type Budget struct {
	// Name is unique among the budgets.
	Name string
	// Match holds one rule, whose match says what counts; nil is everything.
	Match *policy.Set
	Per   Scope
	// MaxAsks or MaxRoundTrips is how many a bucket holds, the other is 0.
	MaxAsks, MaxRoundTrips int
	Window                 time.Duration
}

// Round is a round of asks that is about to be answered.
type Round struct {
	// Asks are what rules would see of them.
	Asks []policy.Question
	// First says that the round trip had no asks before.
	First bool
	// Session names the client's session, "" for none.
	Session string
	// Principal names who the client is; called when it is needed.
	Principal func() string
}

// Denial is a budget that is used up.
type Denial struct {
	Budget string
	Wait   time.Duration // until there is enough of it again
}

// Book holds rounds against budgets. It is immutable and safe for concurrent use; nil
// is one without budgets.
type Book struct {
	budgets []Budget
	store   Store
}

// NewBook makes a book.
func NewBook(budgets []Budget, s Store) *Book {
	if len(budgets) == 0 {
		return nil
	}
	return &Book{budgets, s}
}

// Charge charges a round to every budget that it belongs to, or to none when one is used
// up. An error is the store's.
func (b *Book) Charge(ctx context.Context, r *Round, now time.Time) (*Denial, error) {
	if b == nil || len(r.Asks) == 0 {
		return nil, nil
	}
	var charges []Charge
	var names []string
	for i := range b.budgets {
		if c := b.budgets[i].charge(r); c.N > 0 {
			charges, names = append(charges, c), append(names, b.budgets[i].Name)
		}
	}
	if charges == nil {
		return nil, nil
	}
	denied, wait, err := b.store.Take(ctx, charges, now)
	if err != nil || denied < 0 {
		return nil, err
	}
	return &Denial{names[denied], wait}, nil
}

// charge is what a round costs of the budget.
func (b *Budget) charge(r *Round) Charge {
	c := Charge{Max: b.MaxAsks, Window: b.Window}
	if b.MaxAsks == 0 {
		c.Max = b.MaxRoundTrips
		if !r.First {
			return c
		}
	}
	for i := range r.Asks {
		if b.counts(&r.Asks[i]) {
			c.N++
		}
	}
	if b.MaxAsks == 0 {
		c.N = min(c.N, 1)
	}
	if c.N > 0 {
		c.Key = b.key(r)
	}
	return c
}

// counts tells whether an ask is the budget's. One that cannot be judged is.
func (b *Budget) counts(q *policy.Question) bool {
	if b.Match == nil {
		return true
	}
	rule, err := b.Match.Decide(q)
	return rule != nil || err != nil
}

// key names the bucket of a round.
func (b *Budget) key(r *Round) Key {
	q := &r.Asks[0]
	parts := []string{b.Name, b.Per.String()}
	switch b.Per {
	case Session:
		if r.Session != "" {
			parts = append(parts, "session", r.Session)
			break
		}
		parts = append(parts, "principal", r.Principal())
	case Route:
		parts = append(parts, q.Route)
	case Tool:
		parts = append(parts, q.Route, q.Request.Method, q.Request.Name)
	case Client:
		parts = append(parts, q.Client.Name)
	default:
		parts = append(parts, r.Principal())
	}
	h := sha256.New()
	for _, p := range parts { // the length first, so that no two lists look the same
		h.Write(binary.AppendUvarint(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return Key(h.Sum(nil))
}

// String is the word of the configuration.
func (s Scope) String() string {
	return [...]string{"principal", "session", "route", "tool", "client"}[s]
}
