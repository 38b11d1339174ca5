package session_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

func jwt(payload string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return "Bearer " + enc([]byte(`{"alg":"RS256"}`)) + "." + enc([]byte(payload)) + "." + enc([]byte("signature"))
}

const annsToken = `{"iss":"https://id.example","sub":"ann","exp":1}`

func TestARefreshedTokenIsTheSamePrincipal(t *testing.T) {
	t.Parallel()
	first := jwt(annsToken)
	for _, b := range []session.Binding{session.BindSubject, session.BindCredential, session.BindNone} {
		for name, tc := range map[string]struct {
			auth string
			same map[session.Binding]bool
		}{
			"the same":               {first, map[session.Binding]bool{session.BindSubject: true, session.BindCredential: true, session.BindNone: true}},
			"refreshed":              {jwt(`{"exp":2,"sub":"ann","iss":"https://id.example"}`), map[session.Binding]bool{session.BindSubject: true, session.BindNone: true}},
			"escaped differently":    {jwt(`{"iss":"https:\/\/id.example","s\u0075b":"\u0061nn"}`), map[session.Binding]bool{session.BindSubject: true, session.BindNone: true}},
			"another scheme's case":  {"bearer" + first[6:], map[session.Binding]bool{session.BindSubject: true, session.BindNone: true}},
			"a proof of possession":  {"DPoP" + first[6:], map[session.Binding]bool{session.BindSubject: true, session.BindNone: true}},
			"another signature":      {first + "x", map[session.Binding]bool{session.BindSubject: true, session.BindNone: true}},
			"another subject":        {jwt(`{"iss":"https://id.example","sub":"bob"}`), map[session.Binding]bool{session.BindNone: true}},
			"another issuer":         {jwt(`{"iss":"https://evil.example","sub":"ann"}`), map[session.Binding]bool{session.BindNone: true}},
			"borders moved":          {jwt(`{"iss":"https://id.exampl","sub":"eann"}`), map[session.Binding]bool{session.BindNone: true}},
			"no issuer":              {jwt(`{"sub":"ann"}`), map[session.Binding]bool{session.BindNone: true}},
			"no subject":             {jwt(`{"iss":"https://id.example"}`), map[session.Binding]bool{session.BindNone: true}},
			"two subjects":           {jwt(`{"iss":"https://id.example","sub":"bob","sub":"ann"}`), map[session.Binding]bool{session.BindNone: true}},
			"a subject by case":      {jwt(`{"iss":"https://id.example","SUB":"ann"}`), map[session.Binding]bool{session.BindNone: true}},
			"a subject further down": {jwt(`{"iss":"https://id.example","x":{"sub":"ann"}}`), map[session.Binding]bool{session.BindNone: true}},
			"no credential":          {"", map[session.Binding]bool{session.BindNone: true}},
			"an opaque token":        {"Bearer ann", map[session.Binding]bool{session.BindNone: true}},
			"basic":                  {"Basic " + first[7:], map[session.Binding]bool{session.BindNone: true}},
			"five parts":             {first + ".x.y", map[session.Binding]bool{session.BindNone: true}},
		} {
			want, credential := session.Identify(first, b)
			got, gotCredential := session.Identify(tc.auth, b)
			if (got == want) != tc.same[b] {
				t.Errorf("binding %d, %s: the same principal: %v", b, name, got == want)
			}
			if (gotCredential == credential) != (tc.auth == first) || gotCredential != session.CredentialOf(tc.auth) {
				t.Errorf("binding %d, %s: credential %x", b, name, gotCredential)
			}
		}
	}
}

// What has no readable subject is told by its hash, and no two by the same.
func TestCredentialsWithoutASubject(t *testing.T) {
	t.Parallel()
	seen := make(map[session.Digest]string)
	for _, auth := range []string{
		"Bearer ann", "Bearer bob", "Basic YW5uOnB3", "x", "Bearer ..", "Bearer a.b.c", "Bearer e30.!!!.x",
		jwt(``), jwt(`null`), jwt(`[]`), jwt(`{"iss":1,"sub":2}`), jwt(`{"iss":"i","sub":null}`), jwt(`{"iss":"i","sub":""}`),
		jwt(`{"iss":"i","sub":"s"`), jwt(`{"iss":"i","sub":"s"} x`), jwt("{\"iss\":\"i\",\"sub\":\"\xff\"}"),
		jwt(`{"iss":"i","sub":"s","x":"` + strings.Repeat("y", 70<<10) + `"}`),
	} {
		principal, credential := session.Identify(auth, session.BindSubject)
		if principal != credential || principal == (session.Digest{}) {
			t.Errorf("%.40q has the principal %x and the credential %x", auth, principal, credential)
		}
		if other, twice := seen[principal]; twice {
			t.Errorf("%.40q and %.40q are the same", auth, other)
		}
		seen[principal] = auth
	}
}

func TestNoCredentialIsNobody(t *testing.T) {
	t.Parallel()
	for _, b := range []session.Binding{session.BindSubject, session.BindCredential, session.BindNone} {
		if p, c := session.Identify("", b); p != (session.Digest{}) || c != (session.Digest{}) {
			t.Errorf("binding %d: %x, %x", b, p, c)
		}
	}
	if p, c := session.Identify("Bearer ann", session.BindNone); p != (session.Digest{}) || c == (session.Digest{}) {
		t.Errorf("bound to none: %x, %x", p, c)
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add(jwt(annsToken))
	f.Add("Bearer a.b.c")
	f.Add("Basic x")
	f.Fuzz(func(t *testing.T, auth string) {
		p, c := session.Identify(auth, session.BindSubject)
		if none := (session.Digest{}); (p == none) != (auth == "") || (c == none) != (auth == "") {
			t.Errorf("%q: %x, %x", auth, p, c)
		}
	})
}

func BenchmarkIdentify(b *testing.B) {
	auth := jwt(strings.Replace(annsToken, "{", `{"scope":"`+strings.Repeat("tools:read ", 50)+`",`, 1))
	b.Run("subject", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			session.Identify(auth, session.BindSubject)
		}
	})
	b.Run("credential alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			session.CredentialOf(auth)
		}
	})
}
