package guard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// at is a request as a listener on local hands it over.
func at(local, method, host string, origin ...string) *http.Request {
	r := httptest.NewRequestWithContext(context.Background(), method, "http://placeholder/mcp", nil)
	r.Host = host
	if origin != nil {
		r.Header["Origin"] = origin
	}
	if local == "" {
		return r
	}
	addr, err := net.ResolveTCPAddr("tcp", local)
	if err != nil {
		panic(err)
	}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr))
}

func TestHost(t *testing.T) {
	g := New(Options{AllowedHosts: []string{"Proxy.example", "pinned.example:8443", "[2001:db8::1]", "[2001:db8::2]:9000"}})
	for _, tc := range []struct {
		local, host string
		want        bool
	}{
		{"127.0.0.1:8808", "127.0.0.1:8808", true},
		{"127.0.0.1:8808", "localhost:8808", true},
		{"127.0.0.1:8808", "LocalHost:8808", true},
		{"127.0.0.1:8808", "localhost.:8808", true},
		{"127.0.0.1:8808", "[::1]:8808", true},
		{"127.0.0.1:8808", "127.8.9.1:8808", true},
		{"127.0.0.1:8808", "[::ffff:127.0.0.1]:8808", true},
		{"[::1]:8808", "localhost:8808", true},
		{"127.0.0.1:80", "localhost", true},
		{"127.0.0.1:8808", "localhost", false},
		{"127.0.0.1:8808", "localhost:8809", false},
		{"127.0.0.1:8808", "localhost:08808", false},
		{"127.0.0.1:8808", "localhost:", false},
		{"127.0.0.1:8808", "localhost:x", false},
		{"127.0.0.1:8808", "[::1:8808", false},
		{"127.0.0.1:8808", "::1:8808", false},
		{"127.0.0.1:8808", "[localhost]:8808", false},
		{"127.0.0.1:8808", "[::1%25lo]:8808", false},
		{"127.0.0.1:8808", "", false},
		{"127.0.0.1:8808", ":8808", false},
		{"127.0.0.1:8808", "0.0.0.0:8808", false},
		{"127.0.0.1:8808", "2130706433:8808", false},
		{"127.0.0.1:8808", "attacker.example", false},
		{"127.0.0.1:8808", "attacker.example:8808", false},
		{"127.0.0.1:8808", "localhost.attacker.example:8808", false},
		{"127.0.0.1:8808", "127.0.0.1.attacker.example:8808", false},
		{"127.0.0.1:8808", "user@localhost:8808", false},

		{"192.168.1.5:8808", "192.168.1.5:8808", true},
		{"192.168.1.5:8808", "192.168.1.6:8808", false},
		{"192.168.1.5:8808", "192.168.1.5", false},
		{"[fe80::1%lo]:8808", "[fe80::1]:8808", true},
		{"[2001:db8::5]:8808", "[2001:DB8:0::5]:8808", true},

		{"127.0.0.1:8808", "proxy.example", true},
		{"127.0.0.1:8808", "proxy.EXAMPLE:443", true},
		{"127.0.0.1:8808", "x.proxy.example", false},
		{"127.0.0.1:8808", "pinned.example:8443", true},
		{"127.0.0.1:8808", "pinned.example", false},
		{"127.0.0.1:8808", "[2001:db8::1]:1234", true},
		{"127.0.0.1:8808", "[2001:db8::2]:9000", true},
		{"127.0.0.1:8808", "[2001:db8::2]", false},

		{"", "localhost:8808", false},
		{"", "proxy.example", true},
	} {
		err := g.Check(at(tc.local, "POST", tc.host))
		if (err == nil) != tc.want || (err != nil && !errors.Is(err, ErrHost)) {
			t.Errorf("Host %q on %s: %v, want passed: %v", tc.host, tc.local, err, tc.want)
		}
	}
}

func TestOrigin(t *testing.T) {
	open := New(Options{AllowedOrigins: []string{"https://App.example", "vscode-webview://abc"}, LoopbackOrigins: true})
	closed := New(Options{AllowedOrigins: []string{"https://app.example"}})
	for _, tc := range []struct {
		origin       []string
		opened, shut bool
	}{
		{nil, true, true},
		{[]string{"https://app.example"}, true, true},
		{[]string{"HTTPS://app.EXAMPLE"}, true, true},
		{[]string{"vscode-webview://abc"}, true, false},
		{[]string{"http://localhost:3000"}, true, false},
		{[]string{"http://LOCALHOST"}, true, false},
		{[]string{"https://127.0.0.1:8443"}, true, false},
		{[]string{"http://[::1]:5173"}, true, false},
		{[]string{""}, false, false},
		{[]string{"null"}, false, false},
		{[]string{"http://attacker.example"}, false, false},
		{[]string{"http://localhost.attacker.example"}, false, false},
		{[]string{"http://localhost@attacker.example"}, false, false},
		{[]string{"http://attacker.example@localhost"}, false, false},
		{[]string{"http://localhost/path"}, false, false},
		{[]string{"http://localhost?x"}, false, false},
		{[]string{"ftp://localhost"}, false, false},
		{[]string{"file://"}, false, false},
		{[]string{"localhost:3000"}, false, false},
		{[]string{"http://app.example"}, false, false},
		{[]string{"https://app.example:444"}, false, false},
		{[]string{"https://app.example.attacker.example"}, false, false},
		{[]string{"https://app.example, https://app.example"}, false, false},
		{[]string{"https://app.example", "https://app.example"}, false, false},
	} {
		for g, want := range map[*Guard]bool{open: tc.opened, closed: tc.shut} {
			err := g.Check(at("127.0.0.1:8808", "POST", "localhost:8808", tc.origin...))
			if (err == nil) != want || (err != nil && !errors.Is(err, ErrOrigin)) {
				t.Errorf("Origin %q, loopback %v: %v, want passed: %v", tc.origin, g.loopback, err, want)
			}
		}
	}
}

func TestRefusalGoesBeforeEverythingElse(t *testing.T) {
	g := New(Options{LoopbackOrigins: true})
	reached := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached the handler") })
	for _, method := range []string{"GET", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH"} {
		for _, r := range []*http.Request{
			at("127.0.0.1:8808", method, "attacker.example"),
			at("127.0.0.1:8808", method, "localhost:8808", "http://attacker.example"),
		} {
			r.Header.Set("Access-Control-Request-Method", "POST")
			for _, h := range []http.Handler{g.Handler(reached), g.CORS(reached)} {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if w.Code != 403 || w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: HTTP %d, %v", method, w.Code, w.Header())
				}
			}
		}
	}
}

func TestPeersAndListeners(t *testing.T) {
	for peer, want := range map[string]bool{"127.0.0.1:4000": true, "[::1]:4000": true, "[::ffff:127.0.0.1]:4000": true, "10.0.0.1:4000": false, "@": false, "": false} {
		if got := IsLoopbackPeer(&http.Request{RemoteAddr: peer}); got != want {
			t.Errorf("peer %q: %v", peer, got)
		}
	}
	for listen, want := range map[string]bool{"127.0.0.1:0": true, "Localhost:1": true, "[::1]:1": true, ":8808": false, "0.0.0.0:8808": false, "[::]:1": false, "10.0.0.1:1": false, "proxy.example:1": false, "127.0.0.1": false} {
		if got := IsLoopbackListener(listen); got != want {
			t.Errorf("listener %q: %v", listen, got)
		}
	}
}
