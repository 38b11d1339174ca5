package proxy_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// guarded is a server that wants a token: a scripted upstream with something in front
// that judges tokens and has documents of its own.
type guarded struct {
	*mcptest.Upstream
	url string // of the origin

	mu        sync.Mutex
	good      map[string]bool // Authorization values
	challenge http.Header     // of a 401
	documents map[string]string
	fetched   []*http.Request // of documents
}

func newGuarded(t *testing.T, good ...string) *guarded {
	t.Helper()
	g := &guarded{Upstream: mcptest.NewUpstream(t), good: map[string]bool{}, challenge: http.Header{}, documents: map[string]string{}}
	target, err := url.Parse(g.URL())
	if err != nil {
		t.Fatal(err)
	}
	target.Path = ""
	pass := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }}
	g.url = mcptest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			g.document(w, r)
			return
		}
		if challenge, ok := g.judge(r.Header.Get("Authorization")); !ok {
			for name, values := range challenge {
				w.Header()[name] = values
			}
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	g.leads("/mcp")
	for _, token := range good {
		g.accepts(token, true)
	}
	return g
}

// leads sets a challenge and a document as a server at a path would have them.
func (g *guarded) leads(path string) {
	at := "/.well-known/oauth-protected-resource" + path
	g.mu.Lock()
	defer g.mu.Unlock()
	g.challenge = http.Header{"Www-Authenticate": {fmt.Sprintf(`Bearer realm="up", scope="read write", resource_metadata="%s%s"`, g.url, at)}}
	g.documents[at] = fmt.Sprintf(`{"resource": "%s%s", "authorization_servers": ["https://as.example/"], "scopes_supported":["read", "write"], "n": 12345678901234567890,`+
		`"signed_metadata":"eyJ","jwks_uri":"%s/keys","resource_signing_alg_values_supported":["ES256"]}`, g.url, path, g.url)
}

func (g *guarded) accepts(token string, good bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.good[token] = good
}

func (g *guarded) judge(token string) (http.Header, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.challenge, g.good[token]
}

func (g *guarded) document(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fetched = append(g.fetched, r)
	body, ok := g.documents[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(body))
}

// authorizations are those of the attempts of a method.
func (g *guarded) authorizations(method string) (all []string) {
	for _, a := range g.Attempts(method) {
		all = append(all, a.Header.Get("Authorization"))
	}
	return all
}

// start starts a daemon in front of it that logs all it can and must not log a secret.
func (g *guarded) start(t *testing.T, top, route string, secrets ...string) *mcptest.Daemon {
	t.Helper()
	d := program.Start(t, mcptest.OneRoute(g.url+"/mcp", "log: {level: debug}\n"+top, route))
	for _, secret := range secrets {
		d.NeverLogs(strings.TrimPrefix(secret, "Bearer "))
	}
	return d
}

// file is a secret as a configuration names it.
func file(t *testing.T, secret string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return "{file: " + path + "}"
}

// bearer is a token of a subject, as it goes into the Authorization header. Those of one
// subject differ by their serial.
func bearer(subject string, serial int) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return "Bearer " + part(`{"alg":"ES256"}`) + "." + part(fmt.Sprintf(`{"iss":"https://as.example/","sub":%q,"jti":"%d"}`, subject, serial)) + "." + part("signature")
}

// as makes a client show a token from now on.
func as(c *mcptest.Client, token string) *mcptest.Client {
	c.Header.Set("Authorization", token)
	return c
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
