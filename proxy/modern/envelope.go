package modern

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// envelope is what a requestState of the proxy's own holds: an open round trip, and for
// whom, for which request and until when it is good. Sealed it is bound to the route.
type envelope struct {
	principal session.Digest
	request   digest
	issued    time.Time // when the client got the asks
	expires   time.Time
	state     resolver.State
}

// The plain form, which may only ever leave the process sealed:
//
//	version, principal (16), request (32), issued, expires (signed varints, ms since 1970)
//	packing, the binary state packed so
const (
	envelopeVersion = 1

	packedNot     = 0
	packedHuffman = 1 // deflate without matching: it tells nothing about the state's content but its size
)

// maxSealed is the size in bytes of the longest requestState that is made or opened,
// and maxState of the state inside.
const (
	maxSealed = 3 << 20
	maxState  = 2 << 20
)

// Why a requestState is not good.
var (
	errForeign   = errors.New("requestState is none of this endpoint's, or was changed")
	errExpired   = errors.New("requestState has expired: send the request again without it")
	errPrincipal = errors.New("requestState was given to somebody else")
	errRequest   = errors.New("requestState belongs to another request")
)

// seal makes the requestState; false when the round trip has become too large for one.
func (e *envelope) seal(s *session.Sealer, route string) (string, bool) {
	plain := append(make([]byte, 0, 512), envelopeVersion)
	plain = append(plain, e.principal[:]...)
	plain = append(plain, e.request[:]...)
	plain = binary.AppendVarint(plain, e.issued.UnixMilli())
	plain = binary.AppendVarint(plain, e.expires.UnixMilli())
	state, _ := e.state.AppendBinary(nil) // never fails
	if len(state) > maxState {
		return "", false
	}
	return s.Seal(session.PurposeState, route, appendPacked(plain, state)), true
}

// packers are kept: each has tables of its own.
var packers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.HuffmanOnly) // the level is a good one
	return w
}}

// worthPacking is the size in bytes from which on a state is packed.
const worthPacking = 512

// appendPacked packs a long state where that makes it smaller: servers' own states are
// mostly Base64 or plain text, which the sealing would let grow by a third.
func appendPacked(dst, state []byte) []byte {
	if len(state) >= worthPacking {
		var b bytes.Buffer
		w := packers.Get().(*flate.Writer)
		w.Reset(&b)
		_, _ = w.Write(state) // memory takes all
		_ = w.Close()
		w.Reset(nil)
		packers.Put(w)
		if b.Len() < len(state) {
			return append(append(dst, packedHuffman), b.Bytes()...)
		}
	}
	return append(append(dst, packedNot), state...)
}

// openEnvelope opens a requestState that a client brought, and checks that it is good
// for the principal and the request at this time. The error says why it is not.
func openEnvelope(s *session.Sealer, route, sealed string, principal session.Digest, request digest, now time.Time) (*envelope, error) {
	if len(sealed) > maxSealed {
		return nil, errForeign
	}
	plain, err := s.Open(session.PurposeState, route, sealed)
	if err != nil {
		return nil, errForeign
	}
	e, ok := parseEnvelope(plain)
	switch {
	case !ok:
		return nil, errForeign
	case e.principal != principal:
		return nil, errPrincipal
	case e.request != request:
		return nil, errRequest
	case !now.Before(e.expires):
		return nil, errExpired
	}
	return e, nil
}

func parseEnvelope(b []byte) (*envelope, bool) {
	e := &envelope{}
	if len(b) < 1+len(e.principal)+len(e.request) || b[0] != envelopeVersion {
		return nil, false
	}
	b = b[1:]
	b = b[copy(e.principal[:], b):]
	b = b[copy(e.request[:], b):]
	for _, at := range [...]*time.Time{&e.issued, &e.expires} {
		ms, n := binary.Varint(b)
		if n <= 0 {
			return nil, false
		}
		*at, b = time.UnixMilli(ms), b[n:]
	}
	if len(b) == 0 {
		return nil, false
	}
	state, ok := unpacked(b[0], b[1:])
	return e, ok && e.state.UnmarshalBinary(state) == nil
}

func unpacked(packing byte, b []byte) ([]byte, bool) {
	switch packing {
	case packedNot:
		return b, true
	case packedHuffman:
		state, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxState+1))
		return state, err == nil && len(state) <= maxState
	}
	return nil, false
}
