package upstream

import "time"

const (
	// overlapLeast is how long a listen is still read after another has taken over from it: what the server announced
	// before it acknowledged the new one may still be on its way.
	overlapLeast = 250 * time.Millisecond
	// overlapMost bounds that while news keep coming.
	overlapMost = time.Second
	// overlapKeys bounds what is counted meanwhile; what is beyond it is taken for new.
	overlapKeys = 4096
)

// overlap tells what comes while two listens are read, of which one takes over from the other, and passes each piece of
// news on once. What the server announces then comes on both, and what it announced just before on the old one alone; no
// mark tells which. So what has passed is the greater of what either has brought.
type overlap struct {
	old, young map[string]int // by kind and resource
	until      time.Time      // the old one is read
	limit      time.Time
}

func newOverlap(now time.Time) *overlap {
	return &overlap{old: map[string]int{}, young: map[string]int{}, until: now.Add(overlapLeast), limit: now.Add(overlapMost)}
}

// pass tells whether news are to be passed on.
func (o *overlap) pass(fromOld bool, key string, now time.Time) bool {
	own, other := o.young, o.old
	if fromOld {
		own, other = o.old, o.young
	}
	if _, known := own[key]; !known && len(own) >= overlapKeys {
		return true
	}
	own[key]++
	if own[key] > other[key] {
		return true
	}
	if !fromOld { // taken for what the old one brought: so it has to bring it, be it late
		o.until = later(o.until, now.Add(overlapLeast))
		if o.until.After(o.limit) {
			o.until = o.limit
		}
	}
	return false
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
