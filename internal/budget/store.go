package budget

import (
	"context"
	"crypto/sha256"
	"time"
)

// Key names a bucket.
type Key [sha256.Size]byte

// Charge is what one bucket has to give.
type Charge struct {
	Key Key
	// N is how many tokens are taken, at least one.
	N int
	// Max is how many the bucket holds. A new one is full, and an empty one is full again
	// after Window.
	Max    int
	Window time.Duration
}

// Store keeps buckets. It is safe for concurrent use. A bucket that it has forgotten is
// full. Package budgettest holds what every Store must do.
type Store interface {
	// Take takes all charges, whose keys differ, or none of them. When one cannot be taken
	// it says which, by its index, and how long it will be until it can; what can never
	// be taken, because it is more than the bucket holds, takes a Window. denied is -1
	// when all were taken. With an error nothing was taken, as far as is known.
	Take(ctx context.Context, charges []Charge, now time.Time) (denied int, wait time.Duration, err error)
}
