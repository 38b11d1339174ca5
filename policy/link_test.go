package policy

import (
	"net/url"
	"strings"
	"testing"
)

func TestLinkProblem(t *testing.T) {
	for link, good := range map[string]bool{
		"https://a.example/connect/9?x=1#y":  true,
		"HTTPS://A.Example":                  true,
		"https://a.example:8443/":            true,
		"https://xn--bcher-kva.example/":     true,
		"https://192.0.2.1/":                 true,
		"https://[2001:db8::1]:8443/":        true,
		"https://a.example/Übersicht":        true,
		"https://a.example/?next=u@b":        true,
		"http://localhost:3000/cb":           true,
		"http://app.localhost/":              true,
		"http://127.0.0.1:1/":                true,
		"http://[::1]/":                      true,
		"":                                   false,
		"http://a.example/":                  false,
		"http://127.0.0.1.evil.example/":     false,
		"http://localhost.evil.example/":     false,
		"javascript:alert(1)":                false,
		"javascript://a.example/%0aalert(1)": false,
		"file:///etc/passwd":                 false,
		"//a.example/":                       false,
		"https:a.example":                    false,
		"https:/a.example":                   false,
		"https:///a.example":                 false,
		"https://":                           false,
		"https://user@a.example/":            false,
		"https://user:pw@a.example/":         false,
		"https://@a.example/":                false,
		"https://a.example\\@evil.example/":  false,
		"https://a.example/\\evil":           false,
		"https://a.example/a b":              false,
		" https://a.example/":                false,
		"https://a.example/\n":               false,
		"https://a.exa\tmple/":               false,
		"https://a.example/\u202egpj.exe":    false,
		"https://a.example/\u0085":           false,
		"https://a.example/\u200b":           false,
		"https://a.example/\xff":             false,
		"https://bücher.example/":            false,
		"https://a%2eexample/":               false,
		"https://a..example/":                false,
		"https://a.example./":                false,
		"https://.example/":                  false,
		"https://a.example:/":                false,
		"https://a.example:99999/":           false,
		"https://a.example:x/":               false,
		"https://a:b:1/":                     false,
		"https://2130706433/":                false,
		"https://0x7f.1/":                    false,
		"https://127.1/":                     false,
		"https://0177.0.0.1/":                false,
		"https://[::1%25eth0]/":              false,
		"https://[::1/":                      false,
		"https://a.example/%zz":              false,
	} {
		if problem := LinkProblem(link); (problem == "") != good {
			t.Errorf("%q: %q, want it good: %v", link, problem, good)
		}
	}
}

// FuzzLink checks that a link called good has the host that net/url sees, and nothing that hides it.
func FuzzLink(f *testing.F) {
	f.Add("https://a.example:8443/x")
	f.Add("http://[::1]:1/")
	f.Add("https://u@h/")
	f.Fuzz(func(t *testing.T, link string) {
		host, problem := linkHost(link)
		if problem != "" {
			if host != "" {
				t.Fatalf("%q: a host and a problem", link)
			}
			return
		}
		u, err := url.Parse(link)
		if err != nil || u.User != nil || strings.ContainsAny(link, "\\\n\r\t ") {
			t.Fatalf("%q is called good: %v", link, err)
		}
		if seen := strings.ToLower(u.Hostname()); seen != host && !strings.Contains(seen, ":") {
			t.Fatalf("%q: host %q, net/url says %q", link, host, seen)
		}
	})
}
