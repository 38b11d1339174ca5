package upstream

import (
	"math/rand/v2"
	"time"
)

const (
	// backoffLeast and backoffMost bound the pause after a listen that broke off; it doubles in between.
	backoffLeast = 250 * time.Millisecond
	backoffMost  = 30 * time.Second
	// steady is how long listens must have stood for the next pause to be the least again, and forgiven how long none must
	// have failed where they were not wanted all the time.
	steady   = backoffMost
	forgiven = 5 * time.Minute
	// rest is the pause after an end that the server meant: it is not asked the same again for so long. For ever would
	// leave the clients deaf when a server has been replaced by another, which ends its listens in the same way.
	rest = time.Minute
)

// patience says when the next listen may be opened.
type patience struct {
	failures int
	noted    time.Time // the last of them
	failed   *filter   // of the listen that ended last; nil when it had none yet
	same     time.Time // when that may be asked for again
	other    time.Time // when anything else may
}

// note takes an end into account. stood is how long the server had been listened to without a break.
func (p *patience) note(how ending, f *filter, stood time.Duration, now time.Time) {
	if stood >= steady || now.Sub(p.noted) > forgiven {
		p.failures = 0
	}
	p.noted = now
	pause := backoff(p.failures)
	p.failures++
	p.failed, p.same, p.other = f, now.Add(pause), now.Add(pause)
	if how == finished || how == unwanted {
		p.same = now.Add(rest + time.Duration(rand.Int64N(int64(rest/4))))
	}
}

// due is when a listen for f may be opened; nil is one for what is not known yet.
func (p *patience) due(f *filter) time.Time {
	if f != nil && p.failed != nil && !f.equal(p.failed) {
		return p.other
	}
	return p.same
}

// backoff is the pause after so many failures in a row, less up to a half by chance: the listens of many routes and
// proxies are not to come back in step.
func backoff(failures int) time.Duration {
	d := backoffMost
	if failures < 7 {
		d = min(backoffLeast<<failures, backoffMost)
	}
	return d - time.Duration(rand.Int64N(int64(d/2)))
}
