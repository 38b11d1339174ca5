package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

func sealer(t testing.TB, keys ...session.Key) *session.Sealer {
	t.Helper()
	if len(keys) == 0 {
		keys = []session.Key{session.RandomKey()}
	}
	s, err := session.NewSealer(keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASealerNeedsAKey(t *testing.T) {
	t.Parallel()
	if _, err := session.NewSealer(nil); err == nil {
		t.Error("none is fine?")
	}
}

func TestSealedComesBack(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	rapid.Check(t, func(t *rapid.T) {
		plain := rapid.SliceOf(rapid.Byte()).Draw(t, "plain")
		route := rapid.String().Draw(t, "route")
		purpose := rapid.SampledFrom([]session.Purpose{session.PurposeSession, session.PurposeState}).Draw(t, "purpose")
		token := s.Seal(purpose, route, plain)
		got, err := s.Open(purpose, route, token)
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%q, %v", got, err)
		}
		for _, r := range token {
			if r <= ' ' || r > '~' {
				t.Fatalf("%q is not visible ASCII", token)
			}
		}
	})
}

func refused(t testing.TB, s *session.Sealer, token, what string) {
	t.Helper()
	if got, err := s.Open(session.PurposeSession, "/mcp", token); !errors.Is(err, session.ErrForged) || got != nil {
		t.Errorf("%s: %q, %v", what, got, err)
	}
}

// Every other byte at every place: no bit of a token is spare.
func TestATokenWithAnyByteChangedIsRefused(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	for size := range 4 { // so that the last character carries 6, 2 and 4 bits
		token := s.Seal(session.PurposeSession, "/mcp", []byte("abc")[:size])
		changed := []byte(token)
		for i := range changed {
			for b := range 256 {
				if byte(b) != token[i] {
					changed[i] = byte(b)
					refused(t, s, string(changed), fmt.Sprintf("byte %d is %#02x", i, b))
				}
			}
			changed[i] = token[i]
		}
	}
}

func TestATokenOfAnotherLengthIsRefused(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	for size := range 4 {
		token := s.Seal(session.PurposeSession, "/mcp", []byte("abc")[:size])
		for i := range len(token) {
			refused(t, s, token[:i], "cut")
			refused(t, s, token[i+1:], "beheaded")
			refused(t, s, token[:i]+token[i+1:], "one left out")
			for _, more := range []string{"A", "x", "\n", "\r", "\r\n", "\n\n\n\n", "=", " ", "é"} {
				refused(t, s, token[:i]+more+token[i:], fmt.Sprintf("%q put in", more))
			}
		}
		for _, more := range []string{"A", "AAAA", "=", "==", "\n", "\r\n\r\n", " ", token} {
			refused(t, s, token+more, fmt.Sprintf("%q put behind", more))
		}
	}
	for _, made := range []string{"", "dead", strings.Repeat("A", 44), strings.Repeat("A", 4000), strings.Repeat("é", 500)} {
		refused(t, s, made, "made up")
	}
}

func TestATokenIsGoodForItsPurposeAndRouteOnly(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	token := s.Seal(session.PurposeSession, "/mcp", []byte("x"))
	for _, tc := range []struct {
		purpose session.Purpose
		route   string
		good    bool
	}{
		{session.PurposeSession, "/mcp", true},
		{session.PurposeState, "/mcp", false},
		{session.PurposeSession, "/mcp/", false},
		{session.PurposeSession, "/mc", false},
		{session.PurposeSession, "", false},
	} {
		if _, err := s.Open(tc.purpose, tc.route, token); (err == nil) != tc.good {
			t.Errorf("purpose %d, route %q: %v", tc.purpose, tc.route, err)
		}
	}
}

func TestTheFirstKeySealsAndAllOpen(t *testing.T) {
	t.Parallel()
	old, fresh := session.RandomKey(), session.RandomKey()
	before, rotated, after := sealer(t, old), sealer(t, fresh, old), sealer(t, fresh)
	open := func(s *session.Sealer, token string) bool {
		_, err := s.Open(session.PurposeSession, "/mcp", token)
		return err == nil
	}
	token := before.Seal(session.PurposeSession, "/mcp", []byte("x"))
	if !open(rotated, token) || open(after, token) {
		t.Error("a token of the old key opens as long as that key is listed")
	}
	token = rotated.Seal(session.PurposeSession, "/mcp", []byte("x"))
	if open(before, token) || !open(after, token) {
		t.Error("the first key is not the one that seals")
	}
}

func TestNoTwoTokensAreTheSame(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	seen := make(map[string]bool)
	for range 1000 {
		token := s.Seal(session.PurposeState, "/mcp", nil)
		if seen[token] {
			t.Fatal("a nonce was used twice")
		}
		seen[token] = true
	}
}

func TestPseudonyms(t *testing.T) {
	t.Parallel()
	key := session.RandomKey()
	a, again, other := sealer(t, key), sealer(t, key, session.RandomKey()), sealer(t)
	p := a.Pseudonym([]byte("ann"))
	if len(p) != 12 || p != again.Pseudonym([]byte("ann")) {
		t.Errorf("%q and %q for one name under one key", p, again.Pseudonym([]byte("ann")))
	}
	if p == a.Pseudonym([]byte("bob")) || p == other.Pseudonym([]byte("ann")) {
		t.Error("a pseudonym can be told without the key, or tells two names alike")
	}
}

func FuzzOpen(f *testing.F) {
	s := sealer(f, session.Key{1})
	token := s.Seal(session.PurposeSession, "/mcp", []byte("plain"))
	f.Add(token)
	f.Add(token + "\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, made string) {
		plain, err := s.Open(session.PurposeSession, "/mcp", made)
		if err == nil && made != token && string(plain) != "plain" {
			t.Errorf("%q opens as %q", made, plain)
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	s := sealer(b)
	plain := make([]byte, 200)
	b.ReportAllocs()
	for b.Loop() {
		s.Seal(session.PurposeSession, "/mcp", plain)
	}
}
