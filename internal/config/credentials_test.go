package config

import (
	"fmt"
	"strings"
	"testing"
)

func lookup(name string) (string, bool) { return "s3cret", name == "SECRET" }

func TestFixedCredentialIsNotLentToStrangers(t *testing.T) {
	const auth = "routes: [{upstream: {url: 'http://a.example', authorization: {env: SECRET}}}]\n"
	const header = "routes: [{upstream: {url: 'http://a.example', headers: {X-Key: {env: SECRET}}}}]\n"
	for _, tc := range []struct {
		yaml, listen string
		refused      string
	}{
		{auth, "127.0.0.1:8808", ""},
		{auth, "localhost:8808", ""},
		{auth, "[::1]:8808", ""},
		{auth, ":8808", "authorization"},
		{auth, "0.0.0.0:8808", "authorization"},
		{auth, "10.0.0.1:8808", "authorization"},
		{header, ":8808", "headers"},
		{auth + "security: {tokens: [{env: SECRET}]}\n", ":8808", ""},
		{strings.ReplaceAll(auth, "{env: SECRET}", "forward"), ":8808", ""},
		{strings.ReplaceAll(auth, "{env: SECRET}", "none"), ":8808", ""},
		{strings.ReplaceAll(header, "X-Key: {env: SECRET}", ""), ":8808", ""},
	} {
		want := ""
		if tc.refused != "" {
			want = fmt.Sprintf("c.yaml:1: routes[0].upstream.%s: is lent to everybody who can reach %s: listen on loopback, ask for a token (security.tokens) or for certificates (tls.client_ca_file)", tc.refused, tc.listen)
		}
		_, problems := Parse("c.yaml", []byte(tc.yaml+"listen: '"+tc.listen+"'\n"), Options{LookupEnv: lookup})
		if problems.Error() != want {
			t.Errorf("%son %s: %v", tc.yaml, tc.listen, problems)
		}
		if _, problems := Parse("c.yaml", []byte(tc.yaml), Options{LookupEnv: lookup, Listen: tc.listen}); problems.Error() != want {
			t.Errorf("%son --listen %s: %v", tc.yaml, tc.listen, problems)
		}
	}
}

// However a configuration is printed, and whatever is wrong with it, no secret is in it.
func TestSecretsAreNeverShown(t *testing.T) {
	c := parsed(t, "security: {tokens: [{env: SECRET}]}\nroutes: [{upstream: {url: 'http://a.example', authorization: {env: SECRET}, headers: {X-Key: {env: SECRET}}}}]\n", Options{LookupEnv: lookup})
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		if text := fmt.Sprintf(verb, *c); strings.Contains(text, "s3cret") || strings.Contains(text, "733363726574") {
			t.Errorf("%s shows a secret: %s", verb, text)
		}
	}
	for _, yaml := range []string{
		"security: {tokens: [s3cret]}\n",
		"security: {tokens: [[s3cret]]}\n",
		"routes: [{upstream: {url: 'http://s3cret@a.example'}}]\n",
		"routes: [{upstream: {url: 'http://a.example:s3cret'}}]\n",
		"routes: [{upstream: {url: 'http://a.example', authorization: s3cret}}]\n",
		"routes: [{upstream: {url: 'http://a.example', authorization: [s3cret]}}]\n",
		"routes: [{upstream: {url: 'http://a.example', headers: {X: s3cret}}}]\n",
	} {
		if _, problems := Parse("c.yaml", []byte(yaml), Options{}); len(problems) == 0 || strings.Contains(problems.Error(), "s3cret") {
			t.Errorf("%s: %v", yaml, problems)
		}
	}
}
