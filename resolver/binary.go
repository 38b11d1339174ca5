package resolver

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// The encoding of a State, version 1. Numbers are shortest-form varints, strings have
// their length in front. One state has one encoding (times are cut to milliseconds).
//
//	version  1
//	head     phase | stateLate | stateEcho
//	         idle ends here
//	started  signed, milliseconds since 1970
//	answered, stateOnly, asked, pace
//	server   only with stateEcho
//	asks     only when asking: their number, and for each
//	         kind | askOverdue | askReplied, key, answer (only with askReplied)
const (
	encoding = 1

	phaseBits  = 0x07
	stateLate  = 0x08
	stateEcho  = 0x10
	headBits   = phaseBits | stateLate | stateEcho
	kindBits   = 0x07
	askOverdue = 0x08
	askReplied = 0x10
	askBits    = kindBits | askOverdue | askReplied

	farthest = 1 << 50 // milliseconds, on either side of 1970
)

var errMalformed = errors.New("resolver: malformed round trip state")

// MarshalBinary encodes the state. The error is always nil. The result holds the
// server's requestState and answers: seal it before it leaves the process.
func (s State) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// AppendBinary is MarshalBinary into dst.
func (s State) AppendBinary(dst []byte) ([]byte, error) {
	head := byte(s.phase)
	if s.timeSeen {
		head |= stateLate
	}
	if s.server != nil {
		head |= stateEcho
	}
	dst = append(dst, encoding, head)
	if s.phase == idle {
		return dst, nil
	}
	dst = binary.AppendVarint(dst, s.started.UnixMilli())
	for _, n := range [...]int{s.answered, s.stateOnly, s.asked, s.pace} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	if s.server != nil {
		dst = appendString(dst, s.server)
	}
	if s.phase == asking {
		dst = binary.AppendUvarint(dst, uint64(len(s.asks)))
	}
	for _, a := range s.asks {
		bits := byte(a.kind)
		if a.overdue {
			bits |= askOverdue
		}
		if !a.open() {
			bits |= askReplied
		}
		dst = appendString(append(dst, bits), a.key)
		if !a.open() {
			dst = appendString(dst, a.answer)
		}
	}
	return dst, nil
}

func appendString[T ~string | ~[]byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// UnmarshalBinary takes what MarshalBinary gives and nothing else. It keeps no part of
// data, and leaves s as it was when it fails.
func (s *State) UnmarshalBinary(data []byte) error {
	d := decoder{rest: data, good: true}
	got := d.state()
	if !d.good || len(d.rest) != 0 {
		return errMalformed
	}
	*s = got
	return nil
}

// decoder reads an encoded State; the first fault makes everything after it zero.
type decoder struct {
	rest []byte
	good bool
}

func (d *decoder) state() (s State) {
	d.must(d.octet() == encoding)
	head := d.octet()
	d.must(head&^headBits == 0)
	s.phase = phase(head & phaseBits)
	d.must(s.phase <= over)
	if s.phase == idle {
		d.must(head == 0)
		return s
	}
	s.timeSeen = head&stateLate != 0
	s.started = d.time()
	s.answered, s.stateOnly, s.asked = d.count(math.MaxInt32), d.count(math.MaxInt32), d.count(math.MaxInt32)
	s.pace = d.count(maxPace)
	if head&stateEcho != 0 {
		s.server = d.json()
		d.must(wire.KindOf(s.server) == '"')
	}
	if s.phase == asking {
		s.asks = d.asks()
	}
	d.must(s.sound())
	return s
}

// sound reports whether the members of a state that has begun go together.
func (s *State) sound() bool {
	switch s.phase {
	case sending:
		return s.server == nil
	case asking:
		open := false
		for _, a := range s.asks {
			open = open || a.open()
		}
		return open && s.pace == 0 && s.asked >= len(s.asks)
	case pausing:
		return s.server != nil && s.pace > 0
	}
	return s.server == nil && s.pace == 0
}

func (d *decoder) asks() []pendingAsk {
	n := d.count(MostInputRequests)
	// An ask takes two bytes at least: a wrong number must not reserve memory.
	if d.must(n <= len(d.rest)/2); !d.good {
		return nil
	}
	asks, seen := make([]pendingAsk, 0, n), make(map[string]bool, n)
	for range n {
		bits := d.octet()
		kind := wire.AskKind(bits & kindBits)
		d.must(bits&^askBits == 0 && kind >= wire.ElicitationForm && kind <= wire.Roots)
		a := pendingAsk{key: string(d.bytes()), kind: kind, overdue: bits&askOverdue != 0}
		d.must(!seen[a.key] && isKey(a.key))
		if bits&askReplied != 0 {
			a.answer = d.json()
		}
		if !d.good {
			return nil
		}
		seen[a.key] = true
		asks = append(asks, a)
	}
	return asks
}

func (d *decoder) must(ok bool) {
	if !ok {
		d.good, d.rest = false, nil
	}
}

func (d *decoder) octet() byte {
	if d.must(len(d.rest) > 0); !d.good {
		return 0
	}
	b := d.rest[0]
	d.rest = d.rest[1:]
	return b
}

// number refuses what a shorter varint could say.
func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if d.must(n == 1 || n > 1 && d.rest[n-1] != 0); !d.good {
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) count(most uint64) int {
	v := d.number()
	if d.must(v <= most); !d.good {
		return 0
	}
	return int(v)
}

func (d *decoder) time() time.Time {
	v := d.number()
	ms := int64(v>>1) ^ -int64(v&1)
	d.must(-farthest <= ms && ms <= farthest)
	return time.UnixMilli(ms)
}

func (d *decoder) bytes() []byte {
	n := d.number()
	if d.must(n <= uint64(len(d.rest))); !d.good {
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) json() []byte {
	b := d.bytes()
	if d.must(wire.Validate(b) == nil); !d.good {
		return nil
	}
	return bytes.Clone(b)
}

// isKey reports whether an ask can have this key. A lone surrogate decodes to U+FFFD,
// and its answer would go up under another key.
func isKey(key string) bool {
	return utf8.ValidString(key) && !strings.ContainsRune(key, utf8.RuneError)
}
