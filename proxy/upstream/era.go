package upstream

import (
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Era is the protocol era of a server.
type Era uint8

// The eras. Auto is what a route is set to, Unknown what is known as long as the server has not shown its era.
const (
	Auto Era = iota
	Modern
	Legacy

	Unknown = Auto
)

// String gives the metric label.
func (e Era) String() string { return [...]string{"unknown", "modern", "legacy"}[e] }

const (
	// legacyFor is how long a server is taken for a legacy one before the next probe looks again: what answered may have
	// been something in front of it.
	legacyFor = 5 * time.Minute
	// doubtFor is how long a server that was modern must look like a legacy one before it is taken for one.
	doubtFor = time.Minute
)

// verdict is which era the server speaks, as far as that is known (Versioning, Backward Compatibility). It is apart from
// the views: it is one for all credentials, and outlives them.
type verdict struct {
	mu    sync.Mutex
	era   Era
	since time.Time // of the last evidence for it
	doubt time.Time // since when evidence has been against it; zero: not
}

// Era is the verdict on the server so far; a set era is known from the start.
func (u *Upstream) Era() Era {
	u.verdict.mu.Lock()
	defer u.verdict.mu.Unlock()
	return u.verdict.era
}

// isLegacy tells whether the server is known for a legacy one, and recently enough not to ask again.
func (u *Upstream) isLegacy(now time.Time) bool {
	v := &u.verdict
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.era == Legacy && (u.o.Era == Legacy || now.Sub(v.since) < legacyFor)
}

// judge takes evidence into account and gives the verdict. A set era stays, and a modern server is not given up for a
// passing fault in front of it.
func (u *Upstream) judge(evidence Era, now time.Time) Era {
	v := &u.verdict
	v.mu.Lock()
	defer v.mu.Unlock()
	if evidence == Unknown || u.o.Era != Auto {
		return v.era
	}
	if v.era == Modern && evidence == Legacy {
		if v.doubt.IsZero() {
			v.doubt = now
		}
		if now.Sub(v.doubt) < doubtFor {
			return v.era
		}
	}
	if v.era != evidence {
		u.log.Info("upstream speaks another era than known so far", zap.Stringer("was", v.era), zap.Stringer("is", evidence))
		u.countEra(evidence)
	}
	v.era, v.since, v.doubt = evidence, now, time.Time{}
	return v.era
}

// evidence is what the outcome of a probe says about the server's era: a usable result or an error that only modern
// servers have is modern, any other complete 4xx or unusable success legacy; the rest says nothing.
func evidence(p *probe, res Result, err *Error) Era {
	if err == nil {
		switch {
		case p.usable:
			return Modern
		case res.Outcome == RPCError && !tells(res.status):
			return Unknown
		}
		return Legacy
	}
	switch err.Reason {
	case MissingCapability, HeaderMismatch, NoCommonVersion, Protocol:
		return Modern
	case ContentType, Empty, Malformed, WrongID:
		return Legacy
	case Status:
		if err.Status >= 400 && tells(err.Status) {
			return Legacy
		}
	}
	return Unknown
}

// tells is whether an answer with this status can come from the server itself, in its own time.
func tells(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	}
	return status < 500
}

// wrongEra is what a caller gets who wants something of a legacy server that only modern ones have.
func wrongEra() *Error {
	return &Error{Reason: WrongEra, Code: wire.CodeInternal, Message: wire.MethodDiscover + ": upstream speaks only legacy protocol revisions"}
}
