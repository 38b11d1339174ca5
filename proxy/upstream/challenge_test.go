package upstream

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

const here = "http://127.0.0.1:8808/.well-known/oauth-protected-resource/mcp"

// What a server challenges with, and what the client gets: with metadata published, and without.
func TestChallenges(t *testing.T) {
	const there = `resource_metadata="https://up.example/.well-known/oauth-protected-resource/mcp"`
	own := `resource_metadata="` + here + `"`
	for name, tc := range map[string]struct {
		status          int // 401 unless it is given
		lines           []string
		published, bare []string
	}{
		"leads to the server": {
			lines:     []string{`Bearer ` + there},
			published: []string{`Bearer ` + own},
			bare:      []string{`Bearer`},
		},
		"scope and error are kept": {
			status:    403,
			lines:     []string{`Bearer error="insufficient_scope", scope="files:read files:write", ` + there + `, error_description="File \"write\", please"`},
			published: []string{`Bearer error="insufficient_scope", scope="files:read files:write", ` + own + `, error_description="File \"write\", please"`},
			bare:      []string{`Bearer error="insufficient_scope", scope="files:read files:write", error_description="File \"write\", please"`},
		},
		"nothing leads anywhere": {
			lines:     []string{`Bearer realm="up"`},
			published: []string{`Bearer realm="up", ` + own},
			bare:      []string{`Bearer realm="up"`},
		},
		"no challenge":            {published: []string{`Bearer ` + own}},
		"no challenge with a 403": {status: 403},
		"no bearer with a 403": {
			status: 403, lines: []string{`Basic realm="up"`},
			published: []string{`Basic realm="up"`},
			bare:      []string{`Basic realm="up"`},
		},
		"several challenges in one line": {
			lines:     []string{`Digest realm="a, b", qop="auth", algorithm=MD5, stale=true, Bearer ` + there + ` , scope=x,Negotiate a87421000492aa874209af8bc028==`},
			published: []string{`Digest realm="a, b", qop="auth", algorithm=MD5, stale=true`, `Bearer ` + own + `, scope=x`, `Negotiate a87421000492aa874209af8bc028==`},
			bare:      []string{`Digest realm="a, b", qop="auth", algorithm=MD5, stale=true`, `Bearer scope=x`, `Negotiate a87421000492aa874209af8bc028==`},
		},
		"several lines": {
			lines:     []string{`DPoP algs="ES256", ` + there, `Bearer scope="x"`, `error="invalid_token"`},
			published: []string{`DPoP algs="ES256", ` + own, `Bearer scope="x", error="invalid_token"`},
			bare:      []string{`DPoP algs="ES256"`, `Bearer scope="x", error="invalid_token"`},
		},
		"letter case and spaces": {
			lines:     []string{` ,bearer  Resource_Metadata = "https://up.example/" ,, scope	=	"x" ,`},
			published: []string{`bearer ` + own + `, scope="x"`},
			bare:      []string{`bearer scope="x"`},
		},
		"not quoted": {
			lines:     []string{`Bearer resource_metadata=https://up.example/.well-known/oauth-protected-resource, scope=a`},
			published: []string{`Bearer ` + own + `, scope=a`},
			bare:      []string{`Bearer scope=a`},
		},
		"twice": {
			lines:     []string{`Bearer ` + there + `, ` + there + `, scope="a", scope="b"`},
			published: []string{`Bearer ` + own + `, scope="a"`},
			bare:      []string{`Bearer scope="a"`},
		},
		"under other names": {
			lines:     []string{`Bearer resource="https://up.example/mcp", metadata="https://up.example/.well-known/oauth-protected-resource"`},
			published: []string{`Bearer ` + own},
			bare:      []string{`Bearer`},
		},
		"control characters and others": {
			lines:     []string{"Bearer error_description=\"a\r\nSet-Cookie: b\\\r\\\nc\x00\x7f é\xff\""},
			published: []string{`Bearer error_description="a  Set-Cookie: b  c   ??", ` + own},
			bare:      []string{`Bearer error_description="a  Set-Cookie: b  c   ??"`},
		},
		"the rest of a malformed line": {
			lines:     []string{`Bearer scope="x", realm="no end`, `Basic realm="y"`, `"what" Bearer a="b"`, `Bearer; a="b"`},
			published: []string{`Bearer scope="x", ` + own, `Basic realm="y"`},
			bare:      []string{`Bearer scope="x"`, `Basic realm="y"`},
		},
		"parameters of nothing": {
			lines:     []string{`realm="x", ` + there},
			published: []string{`Bearer ` + own},
		},
	} {
		if tc.status == 0 {
			tc.status = 401
		}
		e := &Error{Status: tc.status, Challenge: tc.lines}
		if got := e.Challenges(here); !slices.Equal(got, tc.published) {
			t.Errorf("%s, published:\n got %q\nwant %q", name, got, tc.published)
		}
		if got := e.Challenges(""); !slices.Equal(got, tc.bare) {
			t.Errorf("%s, not published:\n got %q\nwant %q", name, got, tc.bare)
		}
	}
}

// A server cannot make a client take in more than it can use.
func TestChallengesAreBounded(t *testing.T) {
	var lines []string
	for range 100 {
		lines = append(lines, strings.Repeat("Basic ", 1)+strings.Repeat(`a="b", `, 5)+`long="`+strings.Repeat("x", 5000)+`", `+strings.Repeat("Bearer, ", 100))
	}
	e := &Error{Status: 401, Challenge: lines}
	got := e.Challenges(here)
	if len(got) != maxChallenges || len(strings.Join(got, "")) > 1000 {
		t.Errorf("%d challenges: %.2000q", len(got), got)
	}
	many := "Bearer "
	for i := range 100 {
		many += strings.Repeat("p", i+1) + `="x",`
	}
	if got := (&Error{Status: 401, Challenge: []string{many}}).Challenges(""); strings.Count(got[0], "=") != maxChallengeParams {
		t.Errorf("parameters: %q", got)
	}
}

// A gateway that renames the header has not said anything else by it.
func TestRemappedChallenge(t *testing.T) {
	for _, tc := range []struct {
		header http.Header
		want   string
	}{
		{http.Header{headerRemapped: {`Bearer scope="x"`}}, `Bearer scope="x"`},
		{http.Header{headerRemapped: {`Bearer scope="x"`}, headerChallenge: {`Bearer scope="y"`}}, `Bearer scope="y"`},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ seen) {
			for name, values := range tc.header {
				w.Header()[name] = values
			}
			w.WriteHeader(http.StatusUnauthorized)
		})
		_, _, err := try(t, to(t, s), toolCall(t), Retry{})
		if got := err.Challenges(""); err.Reason != Unauthorized || !slices.Equal(got, []string{tc.want}) {
			t.Errorf("%+v: challenges %q", err, got)
		}
	}
}

// Whatever a server writes, what comes out is a header value that says the same when it is read again.
func FuzzChallenges(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://up.example/x", scope="a \"b"`, `Digest qop="auth", stale=true`)
	f.Add("Negotiate abc==, Basic realm=\"\\", "\"\x00")
	f.Fuzz(func(t *testing.T, a, b string) {
		e := &Error{Status: 401, Challenge: []string{a, b}}
		for _, metadata := range []string{"", here} {
			out := e.Challenges(metadata)
			for _, line := range out {
				if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r > '~' }) {
					t.Fatalf("%q from %q, %q", line, a, b)
				}
			}
			if again := (&Error{Status: 401, Challenge: out}).Challenges(metadata); len(strings.Join(out, "")) < maxChallengeLine && !slices.Equal(again, out) {
				t.Fatalf("%q is read as %q", out, again)
			}
			if metadata != "" && strings.Count(strings.Join(out, " "), here) < 1 {
				t.Fatalf("%q does not lead to the metadata", out)
			}
		}
	})
}
