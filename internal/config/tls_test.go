package config

import (
	"errors"
	"testing"
)

func TestRefusesTLS(t *testing.T) {
	const route = "routes: [{upstream: {url: 'https://a.example', tls: {"
	for name, tc := range map[string]struct{ yaml, want string }{
		"a certificate alone":        {good + "tls: {cert_file: a}\n", "4: tls: cert_file and key_file go together"},
		"a key alone":                {good + "tls: {key_file: a}\n", "4: tls: cert_file and key_file go together"},
		"clients without a server":   {good + "tls: {client_ca_file: a}\n", "4: tls: client_ca_file needs cert_file and key_file"},
		"a certificate for a server": {route + "cert_file: a}}}]\n", "1: routes[0].upstream.tls: cert_file and key_file go together"},
		"plain HTTP": {"routes: [{upstream: {url: 'http://a.example', tls: {ca_file: a}}}]\n",
			"1: routes[0].upstream.tls: is for an https server, and upstream.url is none"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, tc.yaml, tc.want) })
	}
}

func TestFilesOfTLSAreLookedAt(t *testing.T) {
	var seen []TLS
	o := Options{CheckTLS: func(f TLS) error {
		seen = append(seen, f)
		return errors.New("is broken")
	}}
	const yaml = "tls: {cert_file: /c, key_file: /k, client_ca_file: /a}\n" +
		"routes:\n  - upstream: {url: 'https://a.example', tls: {ca_file: /ua}}\n  - {path: /b, upstream: {url: 'https://b.example'}}\n"
	_, problems := Parse("c.yaml", []byte(yaml), o)
	if got, want := problems.Error(), "c.yaml:1: tls: is broken\nc.yaml:3: routes[0].upstream.tls: is broken"; got != want {
		t.Errorf("%s", got)
	}
	if len(seen) != 2 || seen[0] != (TLS{"/c", "/k", "/a"}) || seen[1] != (TLS{CAFile: "/ua"}) {
		t.Errorf("%v", seen)
	}
}

// Clients that show a certificate are no strangers.
func TestClientCertificatesAllowAFixedCredential(t *testing.T) {
	const yaml = "listen: :8808\nroutes: [{upstream: {url: 'https://a.example', authorization: {env: SECRET}}}]\n"
	if _, problems := Parse("c.yaml", []byte(yaml+"tls: {cert_file: /c, key_file: /k}\n"), Options{LookupEnv: lookup}); len(problems) != 1 {
		t.Errorf("without: %v", problems)
	}
	if _, problems := Parse("c.yaml", []byte(yaml+"tls: {cert_file: /c, key_file: /k, client_ca_file: /a}\n"), Options{LookupEnv: lookup}); len(problems) != 0 {
		t.Errorf("with: %v", problems)
	}
}
