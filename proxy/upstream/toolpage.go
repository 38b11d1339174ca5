package upstream

import (
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/toolschema"
)

// toolPage is what one page of a list tells.
type toolPage struct {
	tools  map[string]*toolschema.Headers // nil is none
	next   []byte                         // raw nextCursor; nil on the last page
	ttl    time.Duration
	public bool
}

// readPage reads a result of tools/list. The page's cursor is a part of it.
func (u *Upstream) readPage(result []byte, now time.Time) toolPage {
	var p toolPage
	var ttl, cacheScope []byte
	wire.Members(result, func(name, value []byte) {
		switch key, _ := wire.Unquote(name); key {
		case "tools":
			p.tools = u.readTools(value, now)
		case "nextCursor":
			if wire.KindOf(value) == '"' {
				p.next = value
			}
		case "ttlMs":
			ttl = value
		case "cacheScope":
			cacheScope = value
		}
	})
	p.ttl, p.public = freshnessOf(ttl, cacheScope)
	return p
}

// readTools finds the tools that have annotations, and warns of those whose are invalid.
func (u *Upstream) readTools(list []byte, now time.Time) map[string]*toolschema.Headers {
	if !toolschema.Marked(list) {
		return nil
	}
	var tools map[string]*toolschema.Headers
	_ = wire.Items(list, func(tool []byte) error {
		headers, fault := toolschema.Read(tool)
		if headers == nil && fault == nil {
			return nil
		}
		name, _ := wire.Unquote(wire.Get(tool, "name"))
		if fault != nil {
			u.warn(name, fault, now)
			return nil
		}
		if tools == nil {
			tools = map[string]*toolschema.Headers{}
		}
		tools[name] = headers
		return nil
	})
	return tools
}

// walk is a list of which pages have come, in order.
type walk struct {
	found  *catalogue
	size   int // bytes that the names in it take
	ttl    time.Duration
	public bool
	next   string // decoded cursor of the page that is missing
}

func newWalk(asked uint64) *walk {
	return &walk{found: &catalogue{asked: asked, tools: map[string]*toolschema.Headers{}}, ttl: maxTTL, public: true}
}

// maxNameBytes bounds the memory that the names of one list's tools and headers take.
const maxNameBytes = 256 << 10

// add takes in the next page and tells whether all it had was kept. The list is as fresh as its page that is least so, and
// as public (Caching, Interaction with Pagination).
func (w *walk) add(p toolPage) bool {
	w.ttl, w.public = min(w.ttl, p.ttl), w.public && p.public
	w.next, _ = wire.Unquote(p.next)
	for name, headers := range p.tools {
		size := len(name) + headers.Size()
		if w.size+size > maxNameBytes {
			return false
		}
		w.found.tools[name] = headers
		w.size += size
	}
	return true
}

// learn takes note of a page of a list that goes to a client. Where no tool has annotations, and none had, that costs next
// to nothing.
func (u *Upstream) learn(c *Call, m *wire.Scanner, asked uint64) {
	t, who, now := &u.tools, u.audience(c.Credential), time.Now()
	u.lists.remember(m)
	cursor := wire.Get(c.Request.Params.Of(c.Request.Bytes()), "cursor")
	if t.knowsNone(who, now) && (cursor == nil || !t.walking(who)) && !u.lists.marked(m) {
		return
	}
	if w := t.proceed(who, cursor, u.readPage(m.Result.Of(m.Bytes()), now), asked); w != nil {
		t.keep(who, w.found, w.ttl, w.public, now)
	}
}

// knowsNone tells whether it is known, and still fresh, that no tool has annotations.
func (t *tools) knowsNone(who audience, now time.Time) bool {
	known := t.known(who)
	return known != nil && len(known.tools) == 0 && now.Before(known.until)
}

// walking tells whether a client has had a page that others follow.
func (t *tools) walking(who audience) bool {
	_, ok := t.walks.get(who)
	return ok
}

// proceed adds a page that has gone to a client to those that came before it. It gives the list once that is whole.
func (t *tools) proceed(who audience, cursor []byte, p toolPage, asked uint64) *walk {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := newWalk(asked)
	if cursor != nil {
		at, ok := wire.Unquote(cursor)
		begun, known := t.walks.get(who)
		if !known || !ok || begun.next != at {
			return nil
		}
		w = begun
	}
	whole := w.add(p)
	if whole && p.next != nil {
		t.walks.put(who, w)
		return nil
	}
	t.walks.forget(who)
	if !whole {
		return nil // listing it says so
	}
	return w
}
