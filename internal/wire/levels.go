package wire

import (
	"hash/maphash"
	"sync"
)

// member is a known member of one of the objects that are looked into; the rest is
// other.
type member uint8

// The first four are objects that are looked into themselves: they name the level
// that opens with their value.
const (
	other member = iota
	memberParams
	memberParamsMeta
	memberResult
	memberResultMeta

	memberVersion // jsonrpc
	memberID
	memberMethod
	memberError

	memberName
	memberURI
	memberArguments
	memberLevel
	memberRequestID
	memberProgress
	memberParamsToken
	memberTask
	memberInputResponses
	memberParamsState

	memberMetaToken
	memberProtocolVersion
	memberClientInfo
	memberClientCapabilities
	memberLogLevel
	memberSubscriptionID
	memberTraceparent

	memberResultType
	memberTTL
	memberCacheScope
	memberTools
	memberInputRequests
	memberRequestState
	memberContent
	memberStructuredContent
	memberContents
	memberMessages

	memberReserved // any other member of _meta under the protocol's own prefix
)

// level is an open object in which members are looked for. Its offsets count from
// the start of the message.
type level struct {
	of      member // whose value it is; other for the message itself
	member  member // the member under way
	first   byte   // of the value under way
	cuts    bool   // members may be cut out here
	cut     bool   // the member under way is
	kept    bool   // a member before it is not
	nameLo  int
	valueLo int
	cutHi   int // end of a cut member whose comma is still to come
	hold    int // output must stop here until more is known; -1: it need not
	seen    seen
}

// levels are those in which members are looked for.
type levels [3]level

var levelsPool sync.Pool // of *levels

func (l *levels) init() {
	for i := range l {
		l[i].hold = -1
		l[i].seen.trim()
	}
}

// openLevel starts to look into the object that is the value of m.
func (s *Scanner) openLevel(m member) {
	l := &s.levels[s.tracked]
	s.tracked++
	l.of, l.member, l.cut, l.kept, l.hold = m, other, false, false, -1
	switch m {
	case memberParams:
		l.cuts = s.role == FromClient
	case memberParamsMeta:
		l.cuts = true
	case memberResult, memberResultMeta:
		l.cuts = s.role == FromServer
	default:
		l.cuts = false
	}
	l.cuts = l.cuts && !s.whole
	l.seen.reset()
}

// nameStarts notes the quote of a name at the i-th byte of the buffer, where members
// are looked for.
func (s *Scanner) nameStarts(i int) {
	if s.depth != s.tracked {
		return
	}
	l := &s.levels[s.tracked-1]
	l.nameLo = s.base + i
	if l.hold < 0 {
		l.hold = l.nameLo
	}
}

// nameEnds files the name that ended before the i-th byte.
func (s *Scanner) nameEnds(i int) Reason {
	l := &s.levels[s.tracked-1]
	key := s.buf[l.nameLo+1-s.base : i-1]
	hash := uint64(0)
	if s.escaped {
		l.member, hash = classifyEscaped(l.of, key)
	} else if l.member = classify(l.of, key); l.member == other || l.member == memberReserved {
		hash = maphash.Bytes(seed, key)
	}
	if !l.seen.add(l.member, hash) {
		return Duplicate
	}
	if l.cut = l.cuts && s.cutsOut(l.member); !l.cut {
		l.hold, l.kept = -1, true
	}
	if l.member >= memberContent && l.member <= memberMessages {
		s.Settled = true
	}
	return 0
}

// cutsOut reports whether edits leave the member out: from a server what legacy
// clients must not see, from a client what belongs to the attempt.
func (s *Scanner) cutsOut(m member) bool {
	switch m {
	case memberResultType, memberTTL, memberCacheScope, memberSubscriptionID:
		return true
	case memberTask, memberInputResponses, memberParamsState, memberMetaToken, memberProtocolVersion,
		memberClientInfo, memberClientCapabilities, memberLogLevel:
		return s.role == FromClient
	case memberReserved:
		return s.role == FromClient || s.levels[s.tracked-1].of == memberResultMeta
	}
	return false
}

// valueStarts notes the first byte of a value, c.
func (s *Scanner) valueStarts(i int, c byte) {
	if s.tracked == 0 {
		if s.shape.root = c; c == '{' && !s.any {
			s.openLevel(other)
		}
		return
	}
	l := &s.levels[s.tracked-1]
	l.valueLo, l.first = s.base+i, c
	switch {
	case l.member == memberID, l.member == memberVersion, l.member == memberResultType && !l.cut:
		l.hold = l.valueLo // it is looked at as a whole
	case s.wraps(l):
		s.putIn(l.valueLo, wrapOpen)
	}
	if c == '{' && l.member >= memberParams && l.member <= memberResultMeta {
		s.openLevel(l.member)
	}
}

// valueEnds files the value that ended before the i-th byte, and says what comes
// next.
func (s *Scanner) valueEnds(i int) state {
	if s.tracked == 0 {
		s.end = s.base + i
		return wantNothing
	}
	l := &s.levels[s.tracked-1]
	switch v := (Span{l.valueLo, s.base + i}); {
	case l.member == memberTools:
		s.noteTools(l.first, v)
	case l.member != other:
		s.note(l, v)
	}
	if s.wraps(l) {
		s.putIn(s.base+i, wrapClose)
	}
	switch {
	case !l.cuts:
		l.hold = -1
	case l.cut && l.kept:
		s.cutOut(l, s.base+i)
	case l.cut:
		l.cutHi = s.base + i
	}
	return wantNext
}

// wraps tells whether the value under way is structured content that legacy clients
// want an object around.
func (s *Scanner) wraps(l *level) bool {
	return l.member == memberStructuredContent && l.first != '{' && s.role == FromServer && !s.whole
}

func (s *Scanner) putIn(at int, text string) {
	s.cuts = append(s.cuts, cut{Span{at, at}, text})
}

// comma notes the comma after a member.
func (s *Scanner) comma(i int) {
	l := &s.levels[s.tracked-1]
	switch {
	case l.cut:
		s.cutOut(l, s.base+i+1)
	case l.cuts && l.kept:
		l.hold = s.base + i
	}
	l.cut = false
}

// levelEnds notes the brace that ends the innermost level.
func (s *Scanner) levelEnds(i int) {
	s.tracked--
	l := &s.levels[s.tracked]
	if l.cut {
		s.cutOut(l, l.cutHi)
	}
	switch l.of {
	case other:
		if s.role == FromServer && !s.ID.IsSet() {
			l.hold = s.base + i // an id has to go before it
		}
	case memberParams:
		s.shape.paramsKept = l.kept
	case memberParamsMeta:
		s.shape.metaKept = l.kept
	}
}

// cutOut leaves out what is held, up to hi.
func (s *Scanner) cutOut(l *level, hi int) {
	if l.hold >= 0 {
		s.cuts = append(s.cuts, cut{Span: Span{l.hold, hi}})
		l.hold = -1
	}
	l.cut = false
}
