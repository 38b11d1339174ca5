package upstream

import (
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/toolschema"
)

// audience is for whom something is known: a credential, or everybody where those of clients do not go up.
type audience = session.Digest

// catalogue is which arguments the tools of an audience want in headers. It is immutable.
type catalogue struct {
	tools map[string]*toolschema.Headers // by name; a tool that is not here wants none
	asked uint64                         // the last id that had been given when its first page was asked for
	until time.Time                      // the end of its freshness
}

// mirror gives the headers of a call. A nil catalogue knows of none.
func (c *catalogue) mirror(tool string, arguments []byte) []toolschema.Header {
	if c == nil {
		return nil
	}
	return c.tools[tool].Of(arguments)
}

const (
	// cataloguesMax is how many credentials' catalogues are kept at least.
	cataloguesMax = 512
	// freshAtLeast is how long a catalogue is taken for fresh when the server says less. Being wrong costs a refusal and one
	// list more, while asking for every call would double the work.
	freshAtLeast = time.Minute
	// walksMax is how many clients' walks through the pages of a list are followed at least.
	walksMax = 64
	// unlistedFor is how long tools that could not be listed are not asked for again.
	unlistedFor = 30 * time.Second
	// warnedMax is how many invalid tools are remembered at least, and warnedFor how long, so that each is told of once.
	warnedMax = 1024
	warnedFor = time.Hour
)

// tools is what is kept of the server's lists of tools, by audience; a public one is kept once.
type tools struct {
	private *recent[audience, *catalogue]
	public  atomic.Pointer[catalogue]
	warned  *recent[string, time.Time] // by tool: when

	mu      sync.Mutex
	changed uint64 // the last id that had been given when the server last said that its tools had changed
	walks   *recent[audience, *walk]
	flights map[audience]*listing
}

func (t *tools) init() {
	t.private, t.warned = newRecent[audience, *catalogue](cataloguesMax), newRecent[string, time.Time](warnedMax)
	t.walks, t.flights = newRecent[audience, *walk](walksMax), map[audience]*listing{}
}

// known is the catalogue that is kept for an audience, fresh or not; nil is none.
func (t *tools) known(who audience) *catalogue {
	if c, ok := t.private.get(who); ok {
		return c
	}
	return t.public.Load()
}

// keep keeps a catalogue for as long as the server allows, and a while, unless a later one is known. One that was asked for
// before the tools changed is not fresh any more.
func (t *tools) keep(who audience, c *catalogue, ttl time.Duration, public bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if known := t.known(who); known != nil && known.asked > c.asked {
		return
	}
	c.until = now.Add(max(ttl, freshAtLeast))
	if c.asked < t.changed {
		c.until = now
	}
	if public {
		t.private.forget(who)
		t.public.Store(c)
		return
	}
	t.private.put(who, c)
}

// keepFailure notes that the tools could not be listed now: what is known stays, or the part of the list that came.
func (t *tools) keepFailure(who audience, part *catalogue, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := *part
	if known := t.known(who); known != nil {
		c = *known
	}
	c.until = now.Add(unlistedFor)
	t.private.put(who, &c)
}

// ToolsChanged forgets which headers the tools want that the server shows under a credential, as after a
// notifications/tools/list_changed: the next call has them listed again.
func (u *Upstream) ToolsChanged(cred Credential) {
	t := &u.tools
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = u.lastID.Add(1) // which tells it from all that was before
	t.private.forget(u.audience(cred))
	t.public.Store(nil)
}

// warn tells once in a while of a tool that has to be left out of what clients are shown.
func (u *Upstream) warn(tool string, fault error, now time.Time) {
	tool = wire.Clean(tool, 100)
	if at, told := u.tools.warned.get(tool); told && now.Sub(at) < warnedFor {
		return
	}
	u.tools.warned.put(tool, now)
	u.log.Warn("legacy clients are not shown this tool: its x-mcp-header annotations are invalid", zap.String("tool", tool), zap.String("reason", fault.Error()))
}
