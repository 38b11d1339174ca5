package wire

import (
	"bytes"
	"slices"
	"sync"
)

// Validate checks one whole JSON value of any kind by the rules of Scanner, without
// looking for duplicate members. White space around it is allowed, a byte order mark
// too. The error is an *Error.
func Validate(value []byte) error {
	var s Scanner
	return s.validate(value)
}

func (s *Scanner) validate(value []byte) error {
	s.state, s.any = atLead, true
	s.around = s.skipLead(value)
	s.buf = value[s.around:] // scanned in place: a scan writes nothing
	if err := s.advance(); err != nil {
		return err
	}
	return s.End()
}

// ValidateStrict is Validate and refuses members that appear twice, at every depth.
func ValidateStrict(value []byte) error {
	if err := Validate(value); err != nil {
		return err
	}
	return noDuplicates(bytes.TrimPrefix(value, []byte(byteOrderMark)))
}

// KindOf is the kind of a JSON value by how it starts: '{', '[', '"', '0' for a
// number, 't' for true and false, 'n' for null, 0 for none of these.
func KindOf(raw []byte) byte {
	i := skipSpaces(raw, 0)
	if i == len(raw) {
		return 0
	}
	switch c := raw[i]; {
	case c == '{', c == '[', c == '"', c == 'n', c == 't':
		return c
	case c == 'f':
		return 't'
	case c == '-', c-'0' <= 9:
		return '0'
	}
	return 0
}

// IsID reports whether raw can identify a request: a string, or a number without
// fraction and exponent (Base Protocol, Requests).
func IsID(raw []byte) bool {
	if len(raw) == 0 {
		return false
	}
	if raw[0] == '"' {
		end, reason, _ := stringEnd(raw, 1)
		return reason == 0 && end == len(raw)
	}
	end, p, _ := numberEnd(raw, 0, numStart)
	return end == len(raw) && (p == numZero || p == numInt)
}

// Each calls f with the members of a valid JSON object, in order: the decoded name
// and the raw value, which is a part of obj. It stops at f's first error and returns
// it. A member that comes again is an *Error (Duplicate), and so is what is no object
// (NotAMessage).
func Each(obj []byte, f func(key string, value []byte) error) error {
	names, _ := nameLists.Get().(*nameList)
	if names == nil {
		names = new(nameList)
	}
	defer names.release()
	m := members{obj: obj}
	for {
		more, err := m.next()
		if !more {
			return err
		}
		key, ok := Unquote(m.name)
		if !ok {
			return &Error{Reason: Syntax}
		}
		if !names.add(key) {
			return &Error{Reason: Duplicate}
		}
		if err = f(key, m.value); err != nil {
			return err
		}
	}
}

// Members calls f with the members of a valid JSON object, in order: the raw name and the
// raw value, which are parts of obj. Names may come again, also such that differ only by
// halves of surrogate pairs, which are the same once they are decoded. What is no object
// has none.
func Members(obj []byte, f func(name, value []byte)) {
	m := members{obj: obj}
	for more, _ := m.next(); more; more, _ = m.next() {
		f(m.name, m.value)
	}
}

// nameList knows the names of an object's members.
type nameList struct {
	few  []string
	many map[string]bool // those that few has no room for
}

var nameLists sync.Pool

// add is false for a name that is there already.
func (l *nameList) add(name string) bool {
	const room = 16
	switch {
	case slices.Contains(l.few, name) || l.many[name]:
		return false
	case len(l.few) < room:
		l.few = append(l.few, name)
	case l.many == nil:
		l.many = map[string]bool{name: true}
	default:
		l.many[name] = true
	}
	return true
}

func (l *nameList) release() {
	clear(l.few)
	l.few, l.many = l.few[:0], nil
	nameLists.Put(l)
}

// Get is the raw value at the end of a path of member names into valid JSON, nil when
// there is none. Of members that appear twice it takes the first.
func Get(obj []byte, path ...string) []byte {
	for _, want := range path {
		m := members{obj: obj}
		for {
			if more, _ := m.next(); !more {
				return nil
			}
			if nameIs(m.name, want) {
				obj = m.value
				break
			}
		}
	}
	return obj
}

func nameIs(raw []byte, want string) bool {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1:len(raw)-1]) == want
	}
	got, ok := Unquote(raw)
	return ok && got == want
}
