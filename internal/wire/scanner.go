package wire

import (
	"hash/maphash"
)

// MaxDepth is how deeply arrays and objects may be nested in a message, the message
// itself included.
const MaxDepth = 512

// Scanner takes one message as it arrives, checks it in one pass and finds its
// members. Besides the message it keeps nothing that grows with it, but for eight to
// sixteen bytes for each direct member of the objects in which duplicates are
// refused. Init makes it ready, also to be used again.
//
// A message is one JSON value (RFC 8259) in UTF-8. A byte order mark before it and
// white space around it are ignored; escaped lone surrogates are allowed. Duplicate
// members, compared without their escapes, are refused in the message, its params
// and result, and the _meta of both.
type Scanner struct {
	Found

	role   Role
	any    bool // any JSON value will do, and nothing in it is looked for
	whole  bool // nothing is cut out
	buf    []byte
	base   int // bytes of the message that Drain has forgotten
	around int // bytes around the message that were dropped: byte order mark, white space
	taken  int // bytes fed
	err    *Error

	machine
	levels  *levels // nil once a client's message is over: it may be kept for long
	tracked int     // open levels
	shape   shape
	cuts    []cut // what edits leave out or put in, in order
	idDone  bool  // Drain has written the id
	recall  *Recall
}

// seed is what names are hashed with: nobody outside can choose them for a clash.
var seed = maphash.MakeSeed()

// Init makes the Scanner ready for a message. buf is the storage to use, nil for
// none; its content is ignored.
func (s *Scanner) Init(role Role, buf []byte) {
	s.Found, s.recall = Found{}, nil
	s.role, s.any, s.whole = role, false, false
	s.buf, s.base, s.around, s.taken, s.err = buf[:0], 0, 0, 0, nil
	s.state, s.at, s.depth, s.object = atLead, 0, 0, false
	s.mark, s.escaped = 0, false
	if s.levels == nil {
		s.levels, _ = levelsPool.Get().(*levels)
	}
	if s.levels == nil {
		s.levels = new(levels)
	}
	s.levels.init()
	s.tracked, s.shape, s.cuts, s.idDone = 0, shape{}, s.cuts[:0], false
	if cap(s.cuts) > keepTable {
		s.cuts = nil
	}
}

// KeepAll has the edits of this message cut nothing out and wrap nothing: it goes to a
// peer of the same era. It is called after Init, before the first byte.
func (s *Scanner) KeepAll() { s.whole = true }

// Feed takes the next bytes of the message, which it copies. The error is an *Error;
// the first one is returned by every later call.
func (s *Scanner) Feed(p []byte) error {
	if s.err != nil {
		return s.err
	}
	s.taken += len(p)
	if s.state == atLead {
		p = p[s.skipLead(p):]
	}
	n := copy(s.Room(len(p)), p)
	s.buf = s.buf[:len(s.buf)+n]
	return s.advance()
}

// Room is free storage after the message so far, at least n bytes, to read into;
// Added then takes what was read. Storage doubles as it grows; who knows the size of
// the message asks for size+1 once (the one lets a reader see the end).
func (s *Scanner) Room(n int) []byte {
	if free := cap(s.buf) - len(s.buf); free < n {
		grown := make([]byte, len(s.buf), max(2*cap(s.buf), len(s.buf)+n))
		copy(grown, s.buf)
		s.buf = grown
	}
	return s.buf[len(s.buf):cap(s.buf)]
}

// Added takes n bytes that were read into Room. Its error is that of Feed.
func (s *Scanner) Added(n int) error {
	if s.err != nil {
		return s.err
	}
	s.taken += n
	if s.state == atLead {
		p := s.buf[len(s.buf) : len(s.buf)+n]
		n = copy(p, p[s.skipLead(p):])
	}
	s.buf = s.buf[:len(s.buf)+n]
	return s.advance()
}

// End says that the message is over. It fails when the message is incomplete, is an
// array (Batch; Bytes is that array then) or has not the shape of a JSON-RPC message.
func (s *Scanner) End() error {
	if s.err != nil {
		return s.err
	}
	if r := s.recall; r != nil && len(r.known) > 0 { // it may wait for more of one
		r.known = nil
		if err := s.advance(); err != nil {
			return err
		}
	}
	s.finish()
	if s.role == FromClient && s.levels != nil {
		levelsPool.Put(s.levels)
		s.levels = nil
	}
	if s.state != wantNothing {
		return s.fail(Truncated, s.at)
	}
	if s.any {
		return nil
	}
	if reason := s.judge(); reason != 0 {
		return s.fail(reason, s.at)
	}
	return nil
}

// Bytes is the message so far, without what surrounds it and without what Drain has
// forgotten. It is good until Release or Init.
func (s *Scanner) Bytes() []byte { return s.buf }

// Len is the number of bytes taken so far, those that Drain has forgotten and those
// around the message included.
func (s *Scanner) Len() int { return s.taken }

// Release gives the storage back, for a pool; Bytes is no longer good then.
func (s *Scanner) Release() []byte {
	buf := s.buf[:0]
	s.buf, s.at = nil, 0
	return buf
}

// MethodName is the method, decoded, "" when there is none. Known methods cost no
// allocation.
func (s *Scanner) MethodName() string {
	raw := s.Method.Of(s.buf)
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if known, ok := methodNames[string(raw[1:len(raw)-1])]; ok {
		return known
	}
	name, _ := Unquote(raw)
	return name
}

// advance scans what is in the buffer and was not scanned yet.
func (s *Scanner) advance() error {
	switch {
	case s.err != nil:
		return s.err
	case s.state == atLead:
		return nil
	}
	if err := s.scan(); err != nil {
		s.err = err
		return err
	}
	return nil
}

// fail makes the error for the fault at the i-th byte of the buffer.
func (s *Scanner) fail(reason Reason, i int) *Error {
	s.err = &Error{Reason: reason, Offset: s.around + s.base + i}
	return s.err
}

const byteOrderMark = "\xef\xbb\xbf"

// skipLead says how many bytes of p come before the message: a byte order mark,
// which may be torn, and white space.
func (s *Scanner) skipLead(p []byte) int {
	i := 0
	for i < len(p) && s.around+i == int(s.mark) && int(s.mark) < len(byteOrderMark) && p[i] == byteOrderMark[s.mark] {
		s.mark++
		i++
	}
	torn := s.mark > 0 && int(s.mark) < len(byteOrderMark)
	for !torn && i < len(p) && isSpace(p[i]) {
		i++
	}
	s.around += i
	if i < len(p) {
		s.state = wantValue
		if torn {
			_ = s.fail(UTF8, 0) // it is kept
		}
	}
	return i
}
