package upstream

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// The route decides which credential goes up.
func TestCredentials(t *testing.T) {
	for _, tc := range []struct {
		rule Authorization
		want string
	}{
		{Forward(), "Bearer client"},
		{NoAuthorization(), ""},
		{Fixed("Bearer route"), "Bearer route"},
	} {
		s := serve(t, say(200, "application/json", result(done)))
		u := to(t, s, func(o *Options) { o.Authorization = tc.rule })
		c := toolCall(t)
		c.Credential = Credential{Authorization: "Bearer client", Digest: session.Digest{1}}
		_, _, _ = try(t, u, c, Retry{})
		if got := s.requests()[0].header.Get("Authorization"); got != tc.want {
			t.Errorf("%s: %q went up, want %q", tc.rule, got, tc.want)
		}
		if got := u.Accepted(session.Digest{1}); got != (tc.rule == Forward()) {
			t.Errorf("%s: accepted %v", tc.rule, got)
		}
	}
	if got := fmt.Sprintf("%v %+v %#v %s", Fixed("s3cret"), Fixed("s3cret"), Fixed("s3cret"), Fixed("s3cret")); got != "fixed fixed fixed fixed" {
		t.Errorf("a credential shows: %s", got)
	}
}

// Only a result is proof of a credential, and a 401 takes it back.
func TestAccepted(t *testing.T) {
	script := say(200, "application/json", result(done))
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) { script(w, r, q) })
	u := to(t, s)
	c := toolCall(t)
	c.Credential = Credential{Authorization: "Bearer x", Digest: session.Digest{7}}
	for _, step := range []struct {
		script func(http.ResponseWriter, *http.Request, seen)
		want   bool
	}{
		{say(401, "", ""), false},
		{say(403, "", ""), false},
		{say(502, "text/html", page), false},
		{say(200, "application/json", rpcError(`{"code":1,"message":"who are you"}`)), false},
		{say(200, "application/json", result(ask)), true},
		{say(403, "", ""), true},
		{say(401, "", ""), false},
		{say(200, "text/event-stream", "data: "+result(done)+"\n\n"), true},
	} {
		script = step.script
		_, _, _ = try(t, u, c, Retry{})
		if u.Accepted(session.Digest{7}) != step.want || u.Accepted(session.Digest{8}) {
			t.Errorf("accepted %v, want %v", !step.want, step.want)
		}
	}
}
