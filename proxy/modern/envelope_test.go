package modern

import (
	"bytes"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

const route = "/mcp"

var begun = time.UnixMilli(1_800_000_000_000)

// open is a round trip that waits for the answer to one ask of two.
func open(t testing.TB, state string) *envelope {
	t.Helper()
	l := resolver.DefaultLimits()
	s, _ := resolver.Step(resolver.State{}, resolver.Begin{At: begun}, l, nil)
	s, _ = resolver.Step(s, resolver.InputRequired{At: begun, Input: resolver.Input{
		Asks:  []resolver.Ask{{Key: "mine", Kind: wire.Roots}, {Key: "yours", Kind: wire.ElicitationForm}},
		State: []byte(state),
	}}, l, nil)
	s, _ = resolver.Step(s, resolver.Answered{At: begun, Key: "mine", Answer: []byte(`{"roots":[]}`)}, l, nil)
	return &envelope{principal: session.Digest{1}, request: digestOf("tools/call", []byte(`{"name":"n"}`)), issued: begun, expires: begun.Add(time.Hour), state: s}
}

func sealer(t testing.TB, keys ...session.Key) *session.Sealer {
	t.Helper()
	if keys == nil {
		keys = []session.Key{{1}}
	}
	s, err := session.NewSealer(keys)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sealed(t testing.TB, e *envelope) string {
	t.Helper()
	token, ok := e.seal(sealer(t), route)
	if !ok {
		t.Fatal("too large to be sealed")
	}
	return token
}

func reopen(t testing.TB, e *envelope, token string) (*envelope, error) {
	return openEnvelope(sealer(t), route, token, e.principal, e.request, begun.Add(time.Minute))
}

func TestASealedStateComesBack(t *testing.T) {
	for _, state := range []string{`""`, `"s\u0031"`, `"` + strings.Repeat("a", 60<<10) + `"`, `"` + random(48<<10) + `"`} {
		e := open(t, state)
		token := sealed(t, e)
		got, err := reopen(t, e, token)
		if err != nil {
			t.Fatalf("%.20s: %v", state, err)
		}
		want, _ := e.state.MarshalBinary()
		if has, _ := got.state.MarshalBinary(); !bytes.Equal(has, want) || !got.issued.Equal(begun) {
			t.Errorf("%.20s: came back as another", state)
		}
		if more := len(token) - len(state); more >= 1<<10 {
			t.Errorf("the envelope adds %d bytes to a state of %d", more, len(state))
		}
	}
}

func random(n int) string {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{})
	_, _ = r.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

func TestTheAbsenceOfAStateComesBack(t *testing.T) {
	e := open(t, `"x"`)
	l := resolver.DefaultLimits()
	s, _ := resolver.Step(resolver.State{}, resolver.Begin{At: begun}, l, nil)
	e.state, _ = resolver.Step(s, resolver.InputRequired{At: begun, Input: resolver.Input{Asks: []resolver.Ask{{Key: "q", Kind: wire.Roots}}}}, l, nil)
	got, err := reopen(t, e, sealed(t, e))
	if err != nil {
		t.Fatal(err)
	}
	if _, action := resolver.Step(got.state, resolver.NoMoreAnswers{At: begun}, l, nil); action.(resolver.Send).State != nil {
		t.Error("the retry carries a state that the server never gave")
	}
}

// Whatever single byte of a sealed state is changed, taken out or put in, it is refused.
func TestAChangedByteIsRefused(t *testing.T) {
	e := open(t, `"state"`)
	token := []byte(sealed(t, e))
	tries := 0
	refuse := func(changed []byte, what string, at int) {
		tries++
		if _, err := reopen(t, e, string(changed)); !errors.Is(err, errForeign) {
			t.Fatalf("%s at %d: %v", what, at, err)
		}
	}
	for i := range token {
		changed := bytes.Clone(token)
		for c := range 256 {
			if changed[i] = byte(c); changed[i] != token[i] {
				refuse(changed, "changed", i)
			}
		}
		refuse(append(bytes.Clone(token[:i]), token[i+1:]...), "taken out", i)
		refuse(append(append(bytes.Clone(token[:i]), 'A'), token[i:]...), "put in", i)
	}
	if tries < 256*len(token) {
		t.Errorf("only %d tries", tries)
	}
}

func TestAStateIsGoodForOneRequestOnly(t *testing.T) {
	e := open(t, `"s"`)
	token := sealed(t, e)
	now := begun.Add(time.Minute)
	for _, tc := range []struct {
		name      string
		sealer    *session.Sealer
		route     string
		principal session.Digest
		request   digest
		now       time.Time
		want      error
	}{
		{"itself", sealer(t), route, e.principal, e.request, now, nil},
		{"with a key that is no longer the first", sealer(t, session.Key{2}, session.Key{1}), route, e.principal, e.request, now, nil},
		{"another key", sealer(t, session.Key{2}), route, e.principal, e.request, now, errForeign},
		{"another route", sealer(t), "/other", e.principal, e.request, now, errForeign},
		{"another principal", sealer(t), route, session.Digest{2}, e.request, now, errPrincipal},
		{"another request", sealer(t), route, e.principal, digestOf("tools/call", []byte(`{"name":"m"}`)), now, errRequest},
		{"another method", sealer(t), route, e.principal, digestOf("prompts/get", []byte(`{"name":"n"}`)), now, errRequest},
		{"too late", sealer(t), route, e.principal, e.request, begun.Add(time.Hour), errExpired},
	} {
		if _, err := openEnvelope(tc.sealer, tc.route, token, tc.principal, tc.request, tc.now); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

func TestASessionIDIsNoState(t *testing.T) {
	e := open(t, `"s"`)
	for _, token := range []string{
		"", "x", strings.Repeat("A", maxSealed+1),
		sealer(t).Seal(session.PurposeSession, route, []byte("claims")),
		sealer(t).Seal(session.PurposeState, route, []byte{envelopeVersion + 1}),
		sealer(t).Seal(session.PurposeState, route, nil),
	} {
		if _, err := reopen(t, e, token); !errors.Is(err, errForeign) {
			t.Errorf("%.20q: %v", token, err)
		}
	}
}

// FuzzParseEnvelope: what is inside is only trusted as far as it makes sense.
func FuzzParseEnvelope(f *testing.F) {
	e, seals := open(f, `"s"`), sealer(f)
	state, _ := e.state.MarshalBinary()
	head := append([]byte{envelopeVersion}, make([]byte, 48+2)...)
	f.Add(appendPacked(head, state))
	f.Add(appendPacked(head, bytes.Repeat(state, 40)))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if e, ok := parseEnvelope(b); ok {
			e.seal(seals, route)
		}
	})
}
