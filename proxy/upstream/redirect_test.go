package upstream

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A 307 or 308 within the origin is followed with everything; nothing else is, and no credential leaves.
func TestRedirects(t *testing.T) {
	strange := serve(t, say(200, "application/json", result(done)))
	for _, tc := range []struct {
		status   int
		location string
		followed bool
		says     string
		requests int
	}{
		{307, "/there/?a=b", true, "", 2},
		{308, "there", true, "", 2},
		{302, "/there/", false, "/there/", 1},
		{303, "/there/", false, "303", 1},
		{307, strange.URL + "/mcp", false, strings.TrimPrefix(strange.URL, "http://"), 1},
		{307, "//evil.example/mcp", false, "evil.example", 1},
		{307, "https://HOST/mcp", false, "https://", 1},
		{307, "http://user:pass@HOST/there", false, "/there", 1},
		{308, "/mcp", false, "without end", 6},
		{308, "http://[", false, "no address", 1},
		{308, "", false, "308", 1},
	} {
		t.Run(tc.location, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
				if strings.HasPrefix(r.URL.Path, "/there") {
					say(200, "application/json", result(done))(w, r, q)
					return
				}
				if tc.location != "" {
					w.Header().Set("Location", strings.ReplaceAll(tc.location, "HOST", r.Host))
				}
				w.WriteHeader(tc.status)
			})
			u := to(t, s, func(o *Options) { o.Headers = http.Header{"X-Api-Key": {"k3y"}} })
			c := toolCall(t)
			c.Credential.Authorization = "Bearer tok"
			_, _, err := try(t, u, c, Retry{})
			seen := s.requests()
			if (err == nil) != tc.followed || len(seen) != tc.requests || len(strange.requests()) != 0 {
				t.Fatalf("got %+v after %d requests, %d strayed", err, len(seen), len(strange.requests()))
			}
			if last := seen[len(seen)-1]; last.header.Get("Authorization") != "Bearer tok" || last.header.Get("X-Api-Key") != "k3y" || last.raw != seen[0].raw {
				t.Errorf("followed with %v %s", last.header, last.raw)
			}
			if err != nil && (!strings.Contains(err.Message, tc.says) || strings.Contains(err.Message, "pass@")) {
				t.Errorf("message %q, want one with %q", err.Message, tc.says)
			}
		})
	}
}

// A redirect that one call met once sent every later call there.
func TestRedirectIsOfItsOwnRequestOnly(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		if r.URL.Path == "/mcp" && string(q.params["name"]) == `"moved"` {
			w.Header().Set("Location", "/there")
			w.WriteHeader(308)
			return
		}
		say(200, "application/json", result(done))(w, r, q)
	})
	u := to(t, s)
	var paths []string
	for _, name := range []string{"moved", "deploy", "moved"} {
		c := request(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`"}}`)
		if _, _, err := try(t, u, c, Retry{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range s.requests() {
		paths = append(paths, q.path)
	}
	if got := strings.Join(paths, " "); got != "/mcp /there /mcp /mcp /there" {
		t.Errorf("requests went to %s", got)
	}
}

func TestSameOrigin(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"https://a.example/x", "https://A.example:443/y", true},
		{"http://a.example/x", "http://a.example:80/y", true},
		{"https://a.example", "http://a.example", false},
		{"https://a.example", "https://a.example:8443", false},
		{"https://a.example", "https://a.example.evil", false},
	} {
		a, _ := url.Parse(tc.a)
		b, _ := url.Parse(tc.b)
		if got := sameOrigin(a, b); got != tc.want {
			t.Errorf("%s and %s: %v", tc.a, tc.b, got)
		}
	}
}
