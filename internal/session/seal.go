package session

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
	"sync"
)

// A token is the unpadded URL-safe base64 of
//
//	format (1) | key hint (4) | nonce (12) | ciphertext | tag (16)
//
// under AES-256-GCM. Format, purpose and route are authenticated with it. Nonces are random, so a key should be replaced
// before it has sealed 2^32 tokens of one purpose.
const (
	sealFormat = 1
	hintSize   = 4
	nonceSize  = 12
	tagSize    = 16
	headSize   = 1 + hintSize + nonceSize
	sealCost   = headSize + tagSize
)

// ErrForged means that a token was not sealed by one of our keys for this purpose and route, or was changed since.
var ErrForged = errors.New("not a token of ours")

// Purpose keeps tokens of different uses apart: each has a sub-key of its own.
type Purpose uint8

// The purposes.
const (
	PurposeSession Purpose = iota + 1 // an Mcp-Session-Id
	PurposeState                      // a requestState towards a modern client
	purposeEnd
)

var tokenEncoding = base64.RawURLEncoding.Strict()

// Sealer seals and opens tokens. It never changes but for what it remembers as opened and is safe for concurrent use.
type Sealer struct {
	keys      []sealKey // the first seals
	pseudonym []byte
	hashes    sync.Pool // of hash.Hash, keyed with that
	recent    recent
}

type sealKey struct {
	hint  [hintSize]byte // tells which key sealed a token, and nothing about the key
	aeads [purposeEnd]cipher.AEAD
}

// NewSealer makes a sealer of at least one key; the first seals, all open.
func NewSealer(keys []Key) (*Sealer, error) {
	if len(keys) == 0 {
		return nil, errors.New("no sealing key")
	}
	s := new(Sealer)
	for _, k := range keys {
		sk, err := newSealKey(k)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, sk)
	}
	var err error
	s.pseudonym, err = subKey(keys[0], "pseudonym", sha256.Size)
	return s, err
}

func newSealKey(k Key) (sk sealKey, err error) {
	hint, err := subKey(k, "hint", hintSize)
	if err != nil {
		return sk, err
	}
	copy(sk.hint[:], hint)
	for p, name := range map[Purpose]string{PurposeSession: "session", PurposeState: "state"} {
		sub, err := subKey(k, name, 32)
		if err != nil {
			return sk, err
		}
		block, err := aes.NewCipher(sub)
		if err != nil {
			return sk, err
		}
		if sk.aeads[p], err = cipher.NewGCM(block); err != nil {
			return sk, err
		}
	}
	return sk, nil
}

func subKey(k Key, use string, n int) ([]byte, error) {
	return hkdf.Key(sha256.New, k[:], nil, "mrtr-proxy v1 "+use, n)
}

// Seal makes a token that only Open with the same purpose and route takes back. It is visible ASCII, 4/3 of the size of
// plain and 44 bytes.
func (s *Sealer) Seal(purpose Purpose, route string, plain []byte) string {
	k := &s.keys[0]
	size := sealCost + len(plain)
	buf := make([]byte, headSize, size+2+len(route)) // the authenticated data sits behind the token, in the same allocation
	buf[0] = sealFormat
	copy(buf[1:], k.hint[:])
	rand.Read(buf[1+hintSize : headSize])
	bound := appendBound(buf[size:size], purpose, route)
	sealed := k.aeads[purpose].Seal(buf, buf[1+hintSize:headSize], plain, bound)
	return tokenEncoding.EncodeToString(sealed)
}

// Open gives back what was sealed, or ErrForged. The caller owns the bytes.
func (s *Sealer) Open(purpose Purpose, route, token string) ([]byte, error) {
	size := tokenEncoding.DecodedLen(len(token))
	if size < sealCost || strings.IndexByte(token, '\n') >= 0 || strings.IndexByte(token, '\r') >= 0 {
		return nil, ErrForged // the decoder would skip line ends: two tokens would be the same
	}
	buf := make([]byte, size, size+2+len(route))
	for i := range s.keys {
		// Decoded anew for each key with the right hint, hardly ever more than one: a failure to open wipes the buffer.
		if n, err := tokenEncoding.Decode(buf, []byte(token)); err != nil || n != size || buf[0] != sealFormat {
			return nil, ErrForged
		}
		k := &s.keys[i]
		if k.hint != [hintSize]byte(buf[1:]) {
			continue
		}
		bound := appendBound(buf[size:size], purpose, route)
		plain, err := k.aeads[purpose].Open(buf[headSize:headSize], buf[1+hintSize:headSize], buf[headSize:size], bound)
		if err == nil {
			return plain, nil
		}
	}
	return nil, ErrForged
}

func appendBound(dst []byte, purpose Purpose, route string) []byte {
	return append(append(dst, sealFormat, byte(purpose)), route...)
}

// Pseudonym is a short keyed hash, hex, to tell principals and sessions apart in audit records without telling who they
// are. It changes when the first key does.
func (s *Sealer) Pseudonym(b []byte) string {
	h, _ := s.hashes.Get().(hash.Hash)
	if h == nil {
		h = hmac.New(sha256.New, s.pseudonym)
	}
	defer s.hashes.Put(h)
	h.Reset()
	h.Write(b)
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0])[:6])
}
