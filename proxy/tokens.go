package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"go.uber.org/zap"
)

// tokens are the hashes of the bearer tokens that open the door; none means that it is
// open.
type tokens [][sha256.Size]byte

func newTokens(plain []string) tokens {
	var t tokens
	for _, p := range plain {
		t = append(t, sha256.Sum256([]byte(p)))
	}
	return t
}

// admit compares in constant time, hash with hash.
func (t tokens) admit(r *http.Request) bool {
	if len(t) == 0 {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	shown, known := sha256.Sum256([]byte(strings.TrimSpace(token))), 0
	for i := range t {
		known |= subtle.ConstantTimeCompare(shown[:], t[i][:])
	}
	return known == 1 && strings.EqualFold(scheme, "Bearer")
}

func routeField(path string) zap.Field { return zap.String("route", path) }
