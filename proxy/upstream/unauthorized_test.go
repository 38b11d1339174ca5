package upstream

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// What no client can do anything about is no challenge: the proxy's own credential, or none where the route has none.
func TestOwnCredentialIsRefused(t *testing.T) {
	for _, tc := range []struct {
		rule Authorization
		text string
	}{
		{Fixed("Bearer route"), "tools/call: upstream did not accept the proxy's own credential (HTTP %)"},
		{NoAuthorization(), "tools/call: upstream wants a credential, and this route sends none (HTTP %)"},
	} {
		for code, status := range map[string]int{"401": 401, "403": 403} {
			s := serve(t, say(status, "text/plain", "no", "Www-Authenticate", `Bearer scope="x"`))
			_, _, err := try(t, to(t, s, func(o *Options) { o.Authorization = tc.rule }), toolCall(t), Retry{})
			if err.Reason != OwnCredential || err.Challenge != nil || err.Message != strings.Replace(tc.text, "%", code, 1) || string(err.Data) != `{"status":`+code+`}` {
				t.Errorf("%s: %+v", tc.rule, err)
			}
		}
	}
}

// A legacy server's challenge is passed through as any other is; one to the proxy's own credential is not.
func TestChallengePassesThrough(t *testing.T) {
	metadata := func(*http.Request) string { return here }
	for _, tc := range []struct {
		rule   Authorization
		status int
		want   int
		lines  string
	}{
		{Forward(), 401, 401, `Bearer resource_metadata="` + here + `", scope="x"`},
		{Forward(), 403, 403, `Bearer resource_metadata="` + here + `", scope="x"`},
		{Fixed("Bearer route"), 401, 502, ``},
		{Fixed("Bearer route"), 403, 403, ``},
		{NoAuthorization(), 401, 502, ``},
	} {
		s := serve(t, say(tc.status, "text/plain", "no", "X-Amzn-Remapped-Www-Authenticate", `Bearer resource_metadata="https://up.example/x", scope="x"`))
		var told *Error
		failed := func(w http.ResponseWriter, _ *http.Request, e *Error) { told = e; w.WriteHeader(http.StatusBadGateway) }
		u := to(t, s, func(o *Options) { o.Authorization = tc.rule })
		w := httptest.NewRecorder()
		u.PassThrough(failed, metadata).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader("{}")))
		if got := strings.Join(w.Header()["Www-Authenticate"], "; "); w.Code != tc.want || got != tc.lines || w.Header().Get(headerRemapped) != "" {
			t.Errorf("%s, %d: HTTP %d, challenge %q", tc.rule, tc.status, w.Code, got)
		}
		if (told != nil && told.Reason == OwnCredential) != (tc.want == 502) {
			t.Errorf("%s, %d: failed with %+v", tc.rule, tc.status, told)
		}
	}
}

// A view that everybody may see, and one that was got before the token was revoked, do not vouch for a token.
func TestOnlyTheServerVouches(t *testing.T) {
	good := map[string]bool{"Bearer a": true, "Bearer b": true}
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		switch scope := "private"; {
		case !good[r.Header.Get("Authorization")]:
			say(401, "", "", "Www-Authenticate", "Bearer")(w, r, q)
		default:
			if r.Header.Get("Authorization") == "Bearer a" {
				scope = "public"
			}
			say(200, "application/json", discovery(`,"ttlMs":60000,"cacheScope":"`+scope+`"`))(w, r, q)
		}
	})
	u := to(t, s)
	of := func(token string) Credential {
		return Credential{Authorization: token, Digest: session.CredentialOf(token)}
	}
	for _, step := range []struct {
		token string
		probe int // requests so far
		vouch bool
	}{
		{"Bearer b", 1, true},
		{"Bearer a", 2, true},
		{"Bearer a", 2, true},
		{"Bearer forged", 3, false},
		{"Bearer forged", 4, false},
		{"Bearer b", 4, true},
	} {
		if err := u.Vouch(t.Context(), of(step.token)); (err == nil) != step.vouch || len(s.requests()) != step.probe {
			t.Errorf("%s: %v after %d requests, want %d", step.token, err, len(s.requests()), step.probe)
		}
	}

	good["Bearer b"] = false // no request is under way
	c := toolCall(t)
	c.Credential = of("Bearer b")
	if _, _, err := try(t, u, c, Retry{}); err.Reason != Unauthorized {
		t.Errorf("revoked: %v", err)
	}
	if err := u.Vouch(t.Context(), of("Bearer b")); err == nil {
		t.Error("a revoked token is vouched for")
	}
}

// What one credential was told is told to no other one, unless the server says that everybody may see it.
func TestViewsAreNotShared(t *testing.T) {
	scope := "private"
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		say(200, "application/json", strings.Replace(discovery(`,"ttlMs":60000,"cacheScope":"`+scope+`"`), "be kind", "for "+r.Header.Get("Authorization"), 1))(w, r, q)
	})
	u := to(t, s)
	told := func(token string) string {
		v, err := discover(t, u, Credential{Authorization: token, Digest: session.CredentialOf(token)})
		if err != nil {
			t.Fatal(err)
		}
		return string(v.Instructions)
	}
	for _, token := range []string{"a", "b", "a"} {
		if got, want := told(token), `"for `+token+`"`; got != want {
			t.Errorf("%s was told %s", token, got)
		}
	}
	if n := len(s.requests()); n != 2 {
		t.Errorf("%d requests, want one for each", n)
	}
	scope = "public"
	if got := told("c") + told("d"); got != `"for c""for c"` {
		t.Errorf("what everybody may see is %s", got)
	}
	if got := told("a"); got != `"for a"` {
		t.Errorf("a was told %s", got)
	}
	if got := told(""); got != `"for "` {
		t.Errorf("somebody without a credential was told %s", got)
	}
}
