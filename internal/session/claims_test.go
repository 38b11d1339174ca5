package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

var issued = time.Unix(1_790_000_000, 0)

func claims() *session.Claims {
	return &session.Claims{
		ID: session.NewID(), Version: wire.V20250618, Issued: issued,
		ClientName: "claude-code", ClientTitle: "Claude Code", ClientVersion: "2.1.275",
		Capabilities: wire.Capabilities{Can: 5, Extensions: []byte(`{"io.example/ui":{"mimeTypes":["text/html"]}}`)},
		Principal:    session.Digest{1, 2}, Credential: session.Digest{3, 4},
	}
}

func open(s *session.Sealer, token string) (*session.Claims, error) {
	return session.OpenClaims(s, "/mcp", token, issued.Add(time.Minute), time.Hour)
}

func TestClaimsComeBack(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	for name, c := range map[string]*session.Claims{
		"full":         claims(),
		"bare":         {ID: session.NewID(), Version: wire.V20241105, Issued: issued},
		"experimental": {Version: wire.Newest, Issued: issued, Capabilities: wire.Capabilities{Experimental: []byte(`{}`)}},
		"title only":   {Version: wire.Newest, Issued: issued, ClientTitle: "Ünïcode 名"},
	} {
		got, err := open(s, session.SealClaims(s, "/mcp", c))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c, got); diff != "" {
			t.Errorf("%s: sealed (-) and opened (+) differ:\n%s", name, diff)
		}
	}
}

// Whatever a client says about itself, its token fits, is text still, and opens.
func TestTokensFit(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	rapid.Check(t, func(t *rapid.T) {
		long := rapid.OneOf(rapid.String(), rapid.Map(rapid.StringN(1, 10, -1), func(s string) string { return strings.Repeat(s, 100) }))
		raw := rapid.Map(rapid.IntRange(-1, 1000), func(n int) []byte {
			if n < 0 {
				return nil
			}
			return fmt.Appendf(nil, `{"x":%q}`, strings.Repeat("y", n))
		})
		given := session.Claims{
			ID: session.NewID(), Version: wire.Newest, Issued: issued,
			ClientName: long.Draw(t, "name"), ClientTitle: long.Draw(t, "title"), ClientVersion: long.Draw(t, "version"),
			Capabilities: wire.Capabilities{Can: 1<<16 - 1, Extensions: raw.Draw(t, "extensions"), Experimental: raw.Draw(t, "experimental")},
		}
		c := given
		token := session.SealClaims(s, "/mcp", &c)
		if len(token) > session.MaxToken {
			t.Fatalf("%d bytes", len(token))
		}
		got, err := open(s, token)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&c, got); diff != "" {
			t.Fatalf("sealed (-) and opened (+) differ:\n%s", diff)
		}
		for _, p := range [][2]string{{given.ClientName, got.ClientName}, {given.ClientTitle, got.ClientTitle}, {given.ClientVersion, got.ClientVersion}} {
			if !strings.HasPrefix(p[0], p[1]) || !utf8.ValidString(p[1]) || len(p[1]) < min(len(p[0]), 61) {
				t.Fatalf("%q became %q", p[0], p[1])
			}
		}
		for _, p := range [][2][]byte{{given.Capabilities.Extensions, got.Capabilities.Extensions}, {given.Capabilities.Experimental, got.Capabilities.Experimental}} {
			if p[1] != nil && string(p[0]) != string(p[1]) {
				t.Fatalf("%q became %q", p[0], p[1])
			}
		}
		same := got.ClientName == given.ClientName && got.ClientTitle == given.ClientTitle && got.ClientVersion == given.ClientVersion &&
			len(got.Capabilities.Extensions) == len(given.Capabilities.Extensions) &&
			len(got.Capabilities.Experimental) == len(given.Capabilities.Experimental)
		if got.Truncated == same {
			t.Fatalf("truncated: %v, all there: %v", got.Truncated, same)
		}
	})
}

// The largest claims there can be still leave room for what clients declare today.
func TestLongNamesDoNotCostExtensions(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	c := claims()
	c.ClientName, c.ClientTitle, c.ClientVersion = strings.Repeat("n", 5000), strings.Repeat("t", 5000), strings.Repeat("v", 5000)
	token := session.SealClaims(s, "/mcp", c)
	got, err := open(s, token)
	if err != nil || got.Capabilities.Extensions == nil || !json.Valid(got.Capabilities.Extensions) || !got.Truncated {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSessionsExpire(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	c := claims()
	token := session.SealClaims(s, "/mcp", c)
	for _, tc := range []struct {
		after, maxAge time.Duration
		want          error
	}{
		{0, time.Hour, nil},
		{time.Hour, time.Hour, nil},
		{time.Hour + time.Second, time.Hour, session.ErrExpired},
		{-time.Hour, time.Hour, nil}, // another replica's clock is ahead
		{1e6 * time.Hour, 0, nil},
	} {
		if _, err := session.OpenClaims(s, "/mcp", token, issued.Add(tc.after), tc.maxAge); !errors.Is(err, tc.want) {
			t.Errorf("%v after with %v: %v, want %v", tc.after, tc.maxAge, err, tc.want)
		}
	}
	if got := c.Expires(time.Hour); !got.Equal(issued.Add(time.Hour)) {
		t.Errorf("expires at %v", got)
	}
	if !c.Expires(0).IsZero() {
		t.Error("a session without a largest age expires")
	}
}

func TestForeignSessionsAreRefused(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	token := session.SealClaims(s, "/mcp", claims())
	good, err := s.Open(session.PurposeSession, "/mcp", token)
	if err != nil {
		t.Fatal(err)
	}
	edit := func(f func(b []byte) []byte) string {
		return s.Seal(session.PurposeSession, "/mcp", f(append([]byte(nil), good...)))
	}
	for what, token := range map[string]string{
		"another route":      session.SealClaims(s, "/other", claims()),
		"another key":        session.SealClaims(sealer(t), "/mcp", claims()),
		"a state":            s.Seal(session.PurposeState, "/mcp", good),
		"too long":           s.Seal(session.PurposeSession, "/mcp", append(good, make([]byte, 1000)...)),
		"nothing":            edit(func([]byte) []byte { return nil }),
		"a later format":     edit(func(b []byte) []byte { b[0]++; return b }),
		"no revision":        edit(func(b []byte) []byte { b[1] = 0; return b }),
		"a later revision":   edit(func(b []byte) []byte { b[1] = byte(wire.Newest) + 1; return b }),
		"an unknown flag":    edit(func(b []byte) []byte { b[2] = 2; return b }),
		"one byte too many":  edit(func(b []byte) []byte { return append(b, 0) }),
		"one byte too few":   edit(func(b []byte) []byte { return b[:len(b)-1] }),
		"a length too large": edit(func(b []byte) []byte { b[61] = 255; return b }),
		"fixed part only":    edit(func(b []byte) []byte { return b[:61] }),
		"its own with space": token + " ",
	} {
		if c, err := open(s, token); !errors.Is(err, session.ErrForged) || c != nil {
			t.Errorf("%s: %v, %v", what, c, err)
		}
	}
}

// What is sealed is ours, but claims of any bytes must not bring the process down.
func FuzzClaims(f *testing.F) {
	s := sealer(f)
	plain, err := s.Open(session.PurposeSession, "/mcp", session.SealClaims(s, "/mcp", claims()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Add(plain[:70])
	f.Fuzz(func(t *testing.T, plain []byte) {
		c, err := open(s, s.Seal(session.PurposeSession, "/mcp", plain))
		if err != nil {
			return
		}
		again, err := open(s, session.SealClaims(s, "/mcp", c))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, again); diff != "" {
			t.Errorf("opened (-) and opened again (+) differ:\n%s", diff)
		}
	})
}

func TestOpeningAgainAllocatesNothing(t *testing.T) {
	s := sealer(t, session.RandomKey(), session.RandomKey())
	token := session.SealClaims(s, "/mcp", claims())
	n := testing.AllocsPerRun(100, func() {
		if _, err := open(s, token); err != nil {
			t.Fatal(err)
		}
	})
	if n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func BenchmarkOpenClaims(b *testing.B) {
	s := sealer(b, session.RandomKey(), session.RandomKey())
	token := session.SealClaims(s, "/mcp", claims())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := open(s, token); err != nil {
			b.Fatal(err)
		}
	}
}
