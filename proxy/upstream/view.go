package upstream

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// View is what server/discover told under one credential (MCP, Discovery). It is shared: read only.
type View struct {
	ServerInfo   json.RawMessage // of the result's _meta; nil when absent
	Capabilities json.RawMessage // an object
	Instructions json.RawMessage // a raw JSON string; nil when absent

	Tools, Prompts, Resources, Logging, Completions bool // declared as objects

	Subscribe                                      bool // resources.subscribe
	ToolsChanged, PromptsChanged, ResourcesChanged bool // listChanged of each
}

// readView makes a view of a discovery result, and tells the versions that it names; nil ones when the result is not usable.
func readView(result []byte) (*View, []string) {
	supported := wire.Get(result, "supportedVersions")
	caps := wire.Get(result, "capabilities")
	list := versions(supported)
	if len(list) == 0 || caps != nil && wire.KindOf(caps) != '{' {
		return nil, nil
	}
	if caps == nil {
		caps = []byte("{}")
	}
	v := &View{Capabilities: slices.Clone(caps)}
	if info := wire.Get(result, "_meta", wire.MetaServerInfo); wire.KindOf(info) == '{' {
		v.ServerInfo = slices.Clone(info)
	}
	if text := wire.Get(result, "instructions"); wire.KindOf(text) == '"' {
		v.Instructions = slices.Clone(text)
	}
	has := func(path ...string) bool { return wire.KindOf(wire.Get(caps, path...)) == '{' }
	is := func(path ...string) bool { return string(wire.Get(caps, path...)) == "true" }
	v.Tools, v.Prompts, v.Resources = has("tools"), has("prompts"), has("resources")
	v.Logging, v.Completions = has("logging"), has("completions")
	v.Subscribe = is("resources", "subscribe")
	v.ToolsChanged, v.PromptsChanged, v.ResourcesChanged = is("tools", "listChanged"), is("prompts", "listChanged"), is("resources", "listChanged")
	return v, list
}

// freshness is how long a result may be kept and whether for everybody (MCP, Caching). Without a usable ttlMs it is not kept.
func freshness(result []byte) (keep time.Duration, public bool) {
	return freshnessOf(wire.Get(result, "ttlMs"), wire.Get(result, "cacheScope"))
}

// freshnessOf is freshness by the raw members.
func freshnessOf(ttl, cacheScope []byte) (keep time.Duration, public bool) {
	ms, err := strconv.ParseInt(string(ttl), 10, 64)
	if err != nil || ms < 0 {
		ms = 0
	}
	scope, _ := wire.Unquote(cacheScope)
	return min(time.Duration(min(ms, maxTTL.Milliseconds()))*time.Millisecond, maxTTL), scope == "public"
}

const (
	// maxTTL is how long a view is kept at most, whatever the server allows.
	maxTTL = 24 * time.Hour
	// viewsMax is how many credentials' views are kept at least.
	viewsMax = 512
)

// kept is a view with the end of its freshness.
type kept struct {
	view      *View
	until     time.Time
	anonymous bool // got without a credential
}

// views are what is kept of discoveries, by credential; a public one is kept once.
type views struct {
	private *recent[session.Digest, kept]

	mu      sync.Mutex
	public  kept
	flights map[session.Digest]*flight
}

func (v *views) init() {
	v.private, v.flights = newRecent[session.Digest, kept](viewsMax), map[session.Digest]*flight{}
}

// fresh is the view that is kept for a credential, or nil. A public one that was got under a credential is no answer to
// somebody who shows none: the server may want to challenge them.
func (v *views) fresh(who session.Digest, now time.Time) *View {
	if k, ok := v.private.get(who); ok && now.Before(k.until) {
		return k.view
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if now.Before(v.public.until) && (v.public.anonymous || who != session.Digest{}) {
		return v.public.view
	}
	return nil
}

// keep keeps a view for as long as it is fresh.
func (v *views) keep(who session.Digest, view *View, ttl time.Duration, public bool, now time.Time) {
	k := kept{view: view, until: now.Add(ttl), anonymous: who == session.Digest{}}
	switch {
	case !public && ttl > 0:
		v.private.put(who, k)
	case !public:
		v.private.forget(who)
	default:
		v.private.forget(who)
		v.mu.Lock()
		v.public = k
		v.mu.Unlock()
	}
}
