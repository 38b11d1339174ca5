package session

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// MaxToken is the largest Mcp-Session-Id in bytes, made or taken.
const MaxToken = 1024

// ErrExpired means that a session is older than it may become.
var ErrExpired = errors.New("session expired")

// Claims is what initialize settled for a session.
type Claims struct {
	ID            ID
	Version       wire.Version // the negotiated revision
	Issued        time.Time    // to the second
	ClientName    string       // clientInfo as the client gave it, cut to size; empty when it gave none
	ClientTitle   string
	ClientVersion string
	Capabilities  wire.Capabilities // what does not fit into a token is dropped
	Principal     Digest
	Credential    Digest // that the session was opened with
	Truncated     bool   // some of the above was cut or dropped
}

const (
	claimsFormat   = 1
	flagTruncated  = 1
	claimsFixed    = 3 + 8 + len(ID{}) + 2*len(Digest{}) + 2
	claimsTexts    = 5 // of two bytes of length each
	maxClaims      = MaxToken*3/4 - sealCost
	maxNameText    = 128
	maxVersionText = 64
)

// SealClaims makes the Mcp-Session-Id of a session on a route: visible ASCII, at most MaxToken bytes. It cuts client
// names at rune borders and drops extensions and experimental capabilities that do not fit, and says so in c.Truncated.
func SealClaims(s *Sealer, route string, c *Claims) string {
	c.fit()
	return s.Seal(PurposeSession, route, c.append(make([]byte, 0, maxClaims)))
}

// OpenClaims opens an Mcp-Session-Id. It fails with ErrForged, also for a token of another route, and with ErrExpired for
// a session that is older than maxAge at now; a maxAge of 0 or less means for ever. The claims may be shared: they are not to
// be changed. Whether it was ended is for the Store.
func OpenClaims(s *Sealer, route, token string, now time.Time, maxAge time.Duration) (*Claims, error) {
	if len(token) > MaxToken {
		return nil, ErrForged
	}
	c := s.recent.find(route, token)
	if c == nil {
		plain, err := s.Open(PurposeSession, route, token)
		if err != nil {
			return nil, err
		}
		var ok bool
		if c, ok = parseClaims(plain); !ok {
			return nil, ErrForged
		}
		s.recent.keep(route, strings.Clone(token), c)
	}
	if maxAge > 0 && now.Sub(c.Issued) > maxAge {
		return nil, ErrExpired
	}
	return c, nil
}

// Expires is when a session that may become maxAge old ends by itself; the zero time when maxAge is 0 or less.
func (c *Claims) Expires(maxAge time.Duration) time.Time {
	if maxAge <= 0 {
		return time.Time{}
	}
	return c.Issued.Add(maxAge)
}

func (c *Claims) fit() {
	c.cut(&c.ClientName, maxNameText)
	c.cut(&c.ClientTitle, maxNameText)
	c.cut(&c.ClientVersion, maxVersionText)
	room := maxClaims - claimsFixed - 2*claimsTexts - len(c.ClientName) - len(c.ClientTitle) - len(c.ClientVersion)
	for _, raw := range []*[]byte{&c.Capabilities.Extensions, &c.Capabilities.Experimental} {
		if len(*raw) > room {
			*raw, c.Truncated = nil, true
		}
		room -= len(*raw)
	}
}

func (c *Claims) cut(s *string, n int) {
	if len(*s) <= n {
		return
	}
	for n > 0 && !utf8.RuneStart((*s)[n]) {
		n--
	}
	*s, c.Truncated = (*s)[:n], true
}

func (c *Claims) append(dst []byte) []byte {
	var flags byte
	if c.Truncated {
		flags = flagTruncated
	}
	dst = append(dst, claimsFormat, byte(c.Version), flags)
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.Issued.Unix()))
	dst = append(dst, c.ID[:]...)
	dst = append(dst, c.Principal[:]...)
	dst = append(dst, c.Credential[:]...)
	dst = binary.BigEndian.AppendUint16(dst, uint16(c.Capabilities.Can))
	for _, s := range [...]string{c.ClientName, c.ClientTitle, c.ClientVersion} {
		dst = append(binary.BigEndian.AppendUint16(dst, uint16(len(s))), s...)
	}
	for _, b := range [...][]byte{c.Capabilities.Extensions, c.Capabilities.Experimental} {
		dst = append(binary.BigEndian.AppendUint16(dst, uint16(len(b))), b...)
	}
	return dst
}

// parseClaims reads what append wrote; raw capabilities keep pointing into b.
func parseClaims(b []byte) (*Claims, bool) {
	if len(b) < claimsFixed || b[0] != claimsFormat || b[2]&^flagTruncated != 0 {
		return nil, false
	}
	c := &Claims{Version: wire.Version(b[1]), Truncated: b[2] != 0, Issued: time.Unix(int64(binary.BigEndian.Uint64(b[3:])), 0)}
	if c.Version == 0 || c.Version > wire.Newest {
		return nil, false
	}
	b = b[11:]
	b = b[copy(c.ID[:], b):]
	b = b[copy(c.Principal[:], b):]
	b = b[copy(c.Credential[:], b):]
	c.Capabilities.Can = wire.Can(binary.BigEndian.Uint16(b))
	b = b[2:]

	var texts [claimsTexts][]byte
	rest := b
	for i := range texts {
		if len(rest) < 2 {
			return nil, false
		}
		n := int(binary.BigEndian.Uint16(rest))
		if rest = rest[2:]; len(rest) < n {
			return nil, false
		}
		texts[i], rest = rest[:n:n], rest[n:]
	}
	if len(rest) != 0 {
		return nil, false
	}
	name, title, version := len(texts[0]), len(texts[1]), len(texts[2])
	all := string(b[:6+name+title+version]) // one allocation for the three
	c.ClientName = all[2 : 2+name]
	c.ClientTitle = all[4+name : 4+name+title]
	c.ClientVersion = all[6+name+title:]
	for i, raw := range []*[]byte{&c.Capabilities.Extensions, &c.Capabilities.Experimental} {
		if t := texts[3+i]; len(t) != 0 {
			*raw = t
		}
	}
	return c, true
}
