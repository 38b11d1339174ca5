package upstream

import (
	"slices"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// stand notes that a member has got its first stream, or lost its last.
func (s *share) stand(by int) {
	before := s.standing
	s.standing += by
	if before == 0 || s.standing == 0 {
		s.change()
	}
}

// want notes the resources that a member wants to hear of now. It is false when they are too many to listen for all.
func (s *share) want(m *member, uris []string) (all bool) {
	uris = slices.Clone(uris)
	slices.Sort(uris)
	uris = slices.Compact(uris)
	all, changed := true, false
	for _, uri := range m.uris {
		if _, still := slices.BinarySearch(uris, uri); !still {
			changed = s.unsubscribe(m, uri) || changed
		}
	}
	uris = slices.DeleteFunc(uris, func(uri string) bool {
		if _, already := slices.BinarySearch(m.uris, uri); already {
			return false
		}
		fits, first := s.subscribe(m, uri)
		all, changed = all && fits, changed || first
		return !fits
	})
	m.uris = uris
	if changed {
		s.change()
	}
	return all
}

// subscribe adds a member to those who want to hear of a resource; first tells that there was none.
func (s *share) subscribe(m *member, uri string) (fits, first bool) {
	who, known := s.wanted[uri]
	if !known {
		if len(s.wanted) >= maxFilter || s.bytes+len(uri) > maxFilterBytes {
			s.hub.drop(metrics.DropOverflow)
			return false, false
		}
		s.bytes += len(uri)
	}
	s.wanted[uri] = append(who, m)
	return true, !known
}

// unsubscribe takes a member out of those who want to hear of a resource; last tells that there are no others.
func (s *share) unsubscribe(m *member, uri string) (last bool) {
	who := s.wanted[uri]
	at := slices.Index(who, m)
	if at < 0 {
		return false
	}
	if len(who) > 1 {
		s.wanted[uri] = slices.Delete(who, at, at+1)
		return false
	}
	delete(s.wanted, uri)
	s.bytes -= len(uri)
	return true
}

// change notes that other things are wanted than before. What changes soon after goes the same way.
func (s *share) change() {
	if now := time.Now(); !s.changed.After(now) {
		s.changed = now.Add(together)
	}
	s.refresh()
	s.poke()
}

// refresh has the server asked anew what it offers if that is some time ago: it may have begun to offer something.
func (s *share) refresh() {
	if s.view != nil && s.current == nil && !s.stale && time.Since(s.viewed) > viewFor {
		s.stale = true
		s.poke()
	}
}

// catchUp has a member look again as soon as what it wants is listened for: it comes from another share.
func (s *share) catchUp(m *member) {
	if s.current != nil && s.next == nil && s.filter().equal(s.current.filter) {
		s.lookAgain(map[*member]struct{}{m: {}})
		return
	}
	s.catching = append(s.catching, m)
}

// announce implements listener.
func (s *share) announce(l *listen, n *wire.Scanner) bool {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	method := n.MethodName()
	uri, asked := "", false
	switch method {
	case wire.NotifyToolsChanged:
		asked = l.filter.tools
		s.hub.u.ToolsChanged(s.cred)
	case wire.NotifyPromptsChanged:
		asked = l.filter.prompts
	case wire.NotifyResourcesChanged:
		asked = l.filter.resources
	case wire.NotifyResourceUpdated:
		uri, asked = wire.Unquote(n.URI.Of(n.Bytes()))
		asked = asked && len(l.filter.uris) > 0
	}
	switch {
	case !asked:
		return false
	case l != s.current && l != s.old:
		return true // it was closed, and has been replaced if anybody still wants to hear
	case s.overlap != nil && !s.overlap.pass(l == s.old, method+" "+uri, time.Now()):
		return true
	}
	message := line(n.AppendNotification(nil, nil, nil), n.Newlines)
	s.hub.serial++
	if method != wire.NotifyResourceUpdated {
		for m := range s.members {
			if len(m.streams) > 0 { // the others have not asked
				s.tell(m, message)
			}
		}
		return true
	}
	known := false
	eachParent(uri, func(name string) {
		for _, m := range s.wanted[name] {
			known = true
			s.tell(m, message)
		}
	})
	return known || l.filter.has(uri)
}

// tell announces to a member what has the present serial, once.
func (s *share) tell(m *member, message []byte) {
	if m.told == s.hub.serial {
		return
	}
	m.told = s.hub.serial
	if len(m.streams) == 0 {
		s.hub.drop(metrics.DropNoStream)
		return
	}
	m.streams[len(m.streams)-1].Announce(message)
}

// lookAgain announces everything to members who may have missed something.
func (s *share) lookAgain(members map[*member]struct{}) {
	f := s.current.filter
	for _, list := range [...]struct {
		watched bool
		method  string
	}{{f.tools, wire.NotifyToolsChanged}, {f.prompts, wire.NotifyPromptsChanged}, {f.resources, wire.NotifyResourcesChanged}} {
		if !list.watched {
			continue
		}
		message := []byte(`{"jsonrpc":"2.0","method":"` + list.method + `"}`)
		for m := range members {
			if len(m.streams) > 0 {
				m.streams[len(m.streams)-1].Announce(message)
			}
		}
	}
	messages := map[string][]byte{}
	for m := range members {
		if len(m.streams) == 0 {
			continue
		}
		for _, uri := range m.uris {
			if !f.has(uri) {
				continue
			}
			message := messages[uri]
			if message == nil {
				message = append(wire.AppendQuoted([]byte(`{"jsonrpc":"2.0","method":"`+wire.NotifyResourceUpdated+`","params":{"uri":`), uri), "}}"...)
				messages[uri] = message
			}
			m.streams[len(m.streams)-1].Announce(message)
		}
	}
}

// maxParents and maxParentBytes bound the search for who subscribed to a resource that another is a part of.
const (
	maxParents     = 64
	maxParentBytes = 4 << 10
)

// eachParent calls f with a resource's URI and those of the resources that it may be a part of, by the URI's hierarchy: an
// update may name a sub-resource of the one that was subscribed to (MCP, ResourceUpdatedNotificationParams).
func eachParent(uri string, f func(string)) {
	f(uri)
	if len(uri) > maxParentBytes {
		return
	}
	for rest, n := uri, 0; n < maxParents; n++ {
		at := strings.LastIndexAny(rest, "/?#")
		if at <= 0 || strings.HasSuffix(rest[:at+1], "://") {
			return
		}
		if at+1 < len(uri) && uri[at] == '/' {
			f(uri[:at+1])
		}
		rest = uri[:at]
		f(rest)
	}
}

// line puts a message on one line.
func line(message []byte, newlines bool) []byte {
	if newlines {
		for i, c := range message {
			if c == '\n' || c == '\r' {
				message[i] = ' '
			}
		}
	}
	return message
}
