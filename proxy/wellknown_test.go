package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

const wellKnown = "/.well-known/oauth-protected-resource"

const publish = "metadata: {publish: true}"

// get fetches a path of the daemon.
func get(t *testing.T, d *mcptest.Daemon, path string, header http.Header) *mcptest.Stream {
	t.Helper()
	return mcptest.NewClient(t, d.URL()+path).Do(http.MethodGet, "", header)
}

// A client that is challenged follows the challenge to metadata about the very URL that it dialled, and comes back with a
// token.
func TestClientIsLedToTheAuthorizationServer(t *testing.T) {
	t.Parallel()
	token := bearer("ann", 1)
	g := newGuarded(t, token)
	d := g.start(t, "", publish, token)
	for _, dialled := range []string{d.Endpoint(), d.Endpoint() + "/", strings.Replace(d.Endpoint(), "127.0.0.1", "localhost", 1)} {
		c := mcptest.NewClient(t, dialled)
		reply := c.Post(hello)
		at := strings.Replace(dialled, "/mcp", wellKnown+"/mcp", 1)
		want := `Bearer realm="up", scope="read write", resource_metadata="` + at + `"`
		if got := reply.Header().Values("Www-Authenticate"); reply.Status() != 401 || len(got) != 1 || got[0] != want {
			t.Errorf("%s: HTTP %d, challenge %q, want %q", dialled, reply.Status(), got, want)
		}
		reply = mcptest.NewClient(t, at).Do(http.MethodGet, "", nil)
		document := `{"resource":"` + dialled + `","authorization_servers":["https://as.example/"],"scopes_supported":["read", "write"],"n":12345678901234567890}`
		if got := reply.Body(); reply.Status() != 200 || got != document || reply.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: HTTP %d %s, want %s", at, reply.Status(), got, document)
		}
		as(c, token).Initialize(mcptest.V20251125, `{}`)
	}
	if got := get(t, d, wellKnown, nil).Body(); !strings.HasPrefix(got, `{"resource":"`+d.Endpoint()+`",`) {
		t.Errorf("for the origin as a whole: %s", got)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.fetched) != 1 || g.fetched[0].Header.Get("Authorization") != "" {
		t.Errorf("the document was fetched %d times", len(g.fetched))
	}
}

// A server says little or another thing in its challenge; the client is led all the same.
func TestEveryChallengeLeadsToOurMetadata(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	d := g.start(t, "", publish)
	own := `resource_metadata="` + d.URL() + wellKnown + `/mcp"`
	for name, tc := range map[string]struct {
		header http.Header
		want   string
	}{
		"none":        {http.Header{}, `Bearer ` + own},
		"bare":        {http.Header{"Www-Authenticate": {"Bearer"}}, `Bearer ` + own},
		"remapped":    {http.Header{"X-Amzn-Remapped-Www-Authenticate": {`Bearer resource_metadata="https://up.example/.well-known/oauth-protected-resource/mcp"`}}, `Bearer ` + own},
		"elsewhere":   {http.Header{"Www-Authenticate": {`Bearer error="invalid_token", resource_metadata="https://other.example/x"`}}, `Bearer error="invalid_token", ` + own},
		"two schemes": {http.Header{"Www-Authenticate": {`Negotiate`, `Bearer scope="x"`}}, `Negotiate; Bearer scope="x", ` + own},
	} {
		g.mu.Lock()
		g.challenge = tc.header
		g.mu.Unlock()
		reply := mcptest.NewClient(t, d.Endpoint()).Post(hello)
		got := strings.Join(reply.Header().Values("Www-Authenticate"), "; ")
		if reply.Status() != 401 || got != tc.want || reply.Header().Get("X-Amzn-Remapped-Www-Authenticate") != "" || reply.Header().Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: HTTP %d, %q, want %q", name, reply.Status(), got, tc.want)
		}
	}
}

// A route that publishes nothing leads nowhere, least of all to the server's own URL.
func TestNothingIsPublishedUnasked(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	d := g.start(t, "", "")
	reply := mcptest.NewClient(t, d.Endpoint()).Post(hello)
	if got := reply.Header().Values("Www-Authenticate"); reply.Status() != 401 || len(got) != 1 || got[0] != `Bearer realm="up", scope="read write"` {
		t.Errorf("HTTP %d, challenge %q", reply.Status(), got)
	}
	for _, path := range []string{wellKnown + "/mcp", wellKnown, "/.well-known/nothing", "/.well-known/"} {
		if reply := get(t, d, path, nil); reply.Status() != 404 || strings.Contains(reply.Body(), "jsonrpc") {
			t.Errorf("%s: HTTP %d %s", path, reply.Status(), reply.Body())
		}
	}
	if len(g.fetched) != 0 {
		t.Error("the server was asked for metadata")
	}
}

// Metadata is public, also where clients have to show a token of the proxy's own; but Host and Origin are judged as for
// everything else.
func TestMetadataIsPublic(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	d := g.start(t, "security: {tokens: ["+file(t, "s3cret")+"]}", publish, "s3cret")
	for name, tc := range map[string]struct {
		header http.Header
		want   int
	}{
		"plain":             {nil, 200},
		"a page's origin":   {http.Header{"Origin": {"http://localhost:3000"}}, 200},
		"a foreign origin":  {http.Header{"Origin": {"https://evil.example"}}, 403},
		"a foreign host":    {http.Header{"Host": {"evil.example"}}, 403},
		"a foreign host's":  {http.Header{"Host": {"127.0.0.1.evil.example:80"}}, 403},
		"another own token": {http.Header{"Authorization": {"Bearer other"}}, 200},
	} {
		reply := get(t, d, wellKnown+"/mcp", tc.header)
		if reply.Status() != tc.want || (tc.want == 200 && reply.Header().Get("Access-Control-Allow-Origin") != tc.header.Get("Origin")) {
			t.Errorf("%s: HTTP %d, %v", name, reply.Status(), reply.Header())
		}
	}
	c := mcptest.NewClient(t, d.URL()+wellKnown+"/mcp")
	if reply := c.Post(`{}`); reply.Status() != 405 || reply.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: HTTP %d", reply.Status())
	}
	preflight := c.Do(http.MethodOptions, "", http.Header{"Origin": {"http://localhost:3000"}, "Access-Control-Request-Method": {"GET"}, "Access-Control-Request-Headers": {"mcp-protocol-version"}})
	if preflight.Status() != 204 || !strings.Contains(preflight.Header().Get("Access-Control-Allow-Headers"), "MCP-Protocol-Version") {
		t.Errorf("preflight: HTTP %d %v", preflight.Status(), preflight.Header())
	}
	if reply := mcptest.NewClient(t, d.Endpoint()).Post(hello); reply.Status() != 401 {
		t.Errorf("without a token: HTTP %d", reply.Status())
	}
}

// What is configured as the resource is published as it is written. Where it is the proxy's own URL behind something that
// ends TLS, challenges lead there; where it is the server's, they still lead to the proxy.
func TestResourceIsConfigured(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for resource, tc := range map[string]struct{ host, challenge, path string }{
		"https://mcp.example/team/mcp":  {"mcp.example", "https://mcp.example" + wellKnown + "/team/mcp", wellKnown + "/team/mcp"},
		"https://up.example/mcp?tenant": {"mcp.example", "http://mcp.example" + wellKnown + "/mcp", wellKnown + "/mcp"},
	} {
		d := g.start(t, "security: {allowed_hosts: [mcp.example]}", `metadata: {publish: true, resource: "`+resource+`"}`)
		host := http.Header{"Host": {tc.host}}
		reply := mcptest.NewClient(t, d.Endpoint()).Do(http.MethodPost, hello, host)
		if got := reply.Header().Get("Www-Authenticate"); !strings.Contains(got, `resource_metadata="`+tc.challenge+`"`) {
			t.Errorf("%s: challenge %q, want %s", resource, got, tc.challenge)
		}
		for _, path := range []string{tc.path, wellKnown + "/mcp", wellKnown} {
			if got := get(t, d, path, host).Body(); !strings.HasPrefix(got, `{"resource":"`+resource+`",`) {
				t.Errorf("%s has %s", path, got)
			}
		}
	}
}

// Each route describes itself; the origin as a whole is described by the first that does.
func TestRoutesDescribeThemselves(t *testing.T) {
	t.Parallel()
	g, other := newGuarded(t), newGuarded(t)
	other.leads("/b")
	d := program.Start(t, `
routes:
  - {path: /quiet, upstream: {url: "`+g.url+`/mcp"}}
  - {path: /b, upstream: {url: "`+other.url+`/b"}, metadata: {publish: true}}
  - {path: /mcp, upstream: {url: "`+g.url+`/mcp"}, metadata: {publish: true}}
`)
	for path, want := range map[string]string{"/b": "/b", "/mcp": "/mcp", "": "/b", "/quiet": "", "/b/sse": "/b/sse"} {
		reply := get(t, d, wellKnown+path, nil)
		if want == "" {
			if reply.Status() != 404 {
				t.Errorf("%s: HTTP %d", path, reply.Status())
			}
		} else if got := reply.Body(); !strings.HasPrefix(got, `{"resource":"`+d.URL()+want+`",`) {
			t.Errorf("%s: %s", path, got)
		}
	}
	if status, body := d.Reload(mcptest.OneRoute(g.url+"/mcp", "", "")); status != 200 {
		t.Fatalf("reload: %s", body)
	}
	if reply := get(t, d, wellKnown, nil); reply.Status() != 404 {
		t.Errorf("after a reload: HTTP %d", reply.Status())
	}
}

// A server without metadata is no fault of the client's; one that is down is none of the client's either.
func TestServerWithoutMetadata(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	g.documents = map[string]string{}
	if reply := get(t, g.start(t, "", publish), wellKnown+"/mcp", nil); reply.Status() != 404 {
		t.Errorf("without metadata: HTTP %d", reply.Status())
	}
	d := program.Start(t, mcptest.OneRoute("http://127.0.0.1:1/mcp", "", publish))
	if reply := get(t, d, wellKnown+"/mcp", nil); reply.Status() != 502 || strings.Contains(reply.Body(), "jsonrpc") {
		t.Errorf("down: HTTP %d %s", reply.Status(), reply.Body())
	}
}

// A legacy server's challenges are rewritten like any other.
func TestChallengeOfALegacyServer(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	d := g.start(t, "", "upstream: {url: \""+g.url+"/mcp\", era: legacy}\n"+publish)
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		reply := mcptest.NewClient(t, d.Endpoint()).Do(method, hello, nil)
		want := `Bearer realm="up", scope="read write", resource_metadata="` + d.URL() + wellKnown + `/mcp"`
		if got := reply.Header().Get("Www-Authenticate"); reply.Status() != 401 || got != want {
			t.Errorf("%s: HTTP %d, challenge %q", method, reply.Status(), got)
		}
	}
}

// Where the proxy has a credential of its own, no client is asked for one: whoever runs the proxy is told.
func TestOwnCredentialIsNoClientsBusiness(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	own := file(t, "Bearer 0wn-s3cret")
	for name, tc := range map[string]struct{ upstream, text string }{
		"own":    {`{url: "` + g.url + `/mcp", authorization: ` + own + `}`, "upstream did not accept the proxy's own credential (HTTP 401)"},
		"none":   {`{url: "` + g.url + `/mcp", authorization: none}`, "upstream wants a credential, and this route sends none (HTTP 401)"},
		"legacy": {`{url: "` + g.url + `/mcp", authorization: ` + own + `, era: legacy}`, "upstream did not accept the proxy's own credential (HTTP 401)"},
	} {
		d := g.start(t, "", "upstream: "+tc.upstream, "0wn-s3cret", "cl1ent")
		reply := as(mcptest.NewClient(t, d.Endpoint()), "Bearer cl1ent").Post(hello)
		if m := reply.Response(); reply.Status() != 200 || reply.Header().Get("Www-Authenticate") != "" || m.Code() != -32603 || !strings.Contains(m.ErrorText(), tc.text) {
			t.Errorf("%s: HTTP %d, challenge %q, %s", name, reply.Status(), reply.Header().Get("Www-Authenticate"), m.Raw)
		}
	}
}
