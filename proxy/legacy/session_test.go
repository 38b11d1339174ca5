package legacy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// as is a client of the session of another, with another Authorization; "" is none.
func as(t *testing.T, c *mcptest.Client, authorization string) *mcptest.Client {
	other := mcptest.NewClient(t, c.Endpoint)
	other.Session, other.Version = c.Session, c.Version
	if authorization != "" {
		other.Header.Set("Authorization", authorization)
	}
	return other
}

// connectAs opens a session under an Authorization.
func (w *world) connectAs(authorization string) *mcptest.Client {
	w.t.Helper()
	c := mcptest.NewClient(w.t, w.url+"/mcp")
	if authorization != "" {
		c.Header.Set("Authorization", authorization)
	}
	c.Initialize(mcptest.V20250618, mcptest.EveryCapability)
	return c
}

func TestASessionIsGoodForItsPrincipalOnly(t *testing.T) {
	for _, c := range []struct {
		name           string
		bind           session.Binding
		opened, shown  string
		status         int
		upstreamSeesIt bool
	}{
		{"the same credential", session.BindSubject, "Bearer a", "Bearer a", 200, true},
		{"another credential", session.BindSubject, "Bearer a", "Bearer b", 404, false},
		{"no credential", session.BindSubject, "Bearer a", "", 404, false},
		{"a credential where there was none", session.BindSubject, "", "Bearer a", 404, false},
		{"none and none", session.BindSubject, "", "", 200, true},
		{"a refreshed token of the subject", session.BindSubject, jwt("ann", 1), jwt("ann", 2), 200, true},
		{"another subject", session.BindSubject, jwt("ann", 1), jwt("bob", 1), 404, false},
		{"a refreshed token, bound to the credential", session.BindCredential, jwt("ann", 1), jwt("ann", 2), 404, false},
		{"another credential, bound to nothing", session.BindNone, "Bearer a", "Bearer b", 200, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(o *proxy.Options) { o.Binding = c.bind })
			w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("done")}))
			client := as(t, w.connectAs(c.opened), c.shown)
			if reply := client.CallTool("1", "release", `{}`); reply.Status() != c.status {
				t.Errorf("HTTP %d, want %d: %s", reply.Status(), c.status, reply.Body())
			}
			attempts := w.upstream.Attempts("tools/call")
			if len(attempts) == 1 != c.upstreamSeesIt {
				t.Fatalf("%d attempts", len(attempts))
			}
			if c.upstreamSeesIt && attempts[0].Header.Get("Authorization") != c.shown {
				t.Errorf("upstream saw %q", attempts[0].Header.Get("Authorization"))
			}
		})
	}
}

func TestASessionIsUnknown(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) {
		other := o.Routes[0]
		other.Path = "/other"
		o.Routes = append(o.Routes, other)
	})
	client := w.connect(mcptest.V20250618)
	ended := w.connect(mcptest.V20250618)
	if status := ended.Delete(); status != http.StatusNoContent {
		t.Fatalf("DELETE: HTTP %d", status)
	}
	for _, c := range []struct {
		name    string
		session string
		path    string
		status  int
	}{
		{"none", "", "/mcp", 400},
		{"made up", "abc", "/mcp", 404},
		{"changed in one character", flip(client.Session), "/mcp", 404},
		{"cut", client.Session[:len(client.Session)-4], "/mcp", 404},
		{"longer", client.Session + "AAAA", "/mcp", 404},
		{"of another route", client.Session, "/other", 404},
		{"ended", ended.Session, "/mcp", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			other := mcptest.NewClient(t, w.url+c.path)
			other.Session = c.session
			for _, reply := range []*mcptest.Stream{other.Request("1", "tools/list", "{}"), other.Post(`{"jsonrpc":"2.0","id":"x","result":{}}`)} {
				if reply.Status() != c.status {
					t.Errorf("POST: HTTP %d, want %d", reply.Status(), c.status)
				}
			}
			if status := other.Notify("notifications/initialized", ""); status != c.status {
				t.Errorf("a notification: HTTP %d, want %d", status, c.status)
			}
			if status := other.Delete(); status != c.status {
				t.Errorf("DELETE: HTTP %d, want %d", status, c.status)
			}
			want := c.status
			if c.session == "" {
				want = http.StatusMethodNotAllowed
			}
			if reply := other.Listen(); reply.Status() != want {
				t.Errorf("GET: HTTP %d, want %d", reply.Status(), want)
			}
		})
	}
	if len(w.upstream.Attempts("tools/list")) != 0 {
		t.Error("one of them reached the server")
	}
}

// flip changes one character of a token, not the last, some bits of which say nothing.
func flip(token string) string {
	with := "A"
	if token[10] == 'A' {
		with = "B"
	}
	return token[:10] + with + token[11:]
}

func TestASessionExpires(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.MaxAge = 3 * time.Second })
	client := w.connect(mcptest.V20250618)
	mcptest.Eventually(t, "the session is over", func() bool { return client.Request("1", "ping", "").Status() == http.StatusNotFound })
}

// A credential of the session's subject is taken from a token that nobody has verified
// here. Only when upstream has accepted it may it have effects.
func TestARefreshedTokenHasEffectsOnceUpstreamHasAcceptedIt(t *testing.T) {
	refreshed := jwt("ann", 2)
	for _, c := range []struct {
		name     string
		accepted bool
	}{{"accepted", true}, {"refused", false}} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			client := w.connectAs(jwt("ann", 1))
			w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
			w.upstream.Handle("server/discover", func(a *mcptest.Attempt) mcptest.Reply {
				if a.Header.Get("Authorization") == refreshed && !c.accepted {
					return mcptest.Reply{Status: 401, Header: http.Header{"Www-Authenticate": {"Bearer error=\"invalid_token\""}}, Error: `{"code":-32000,"message":"no"}`}
				}
				return mcptest.Reply{Result: mcptest.DiscoverResult}
			})
			reply := client.CallTool("1", "release", `{}`)
			ask := reply.Ask("roots/list")
			other := as(t, client, refreshed)
			if c.accepted {
				if status := other.Answer(ask, rootsAnswer); status != http.StatusAccepted {
					t.Errorf("answer: HTTP %d", status)
				}
				if m := reply.Response(); !strings.Contains(m.Text(), "file:///srv") {
					t.Errorf("%s", m.Raw)
				}
				if status := other.Delete(); status != http.StatusNoContent {
					t.Errorf("DELETE: HTTP %d", status)
				}
				return
			}
			refused := other.Post(`{"jsonrpc":"2.0","id":` + string(ask.ID) + `,"result":` + rootsAnswer + `}`)
			if refused.Status() != http.StatusUnauthorized || refused.Header().Get("Www-Authenticate") == "" {
				t.Errorf("answer: HTTP %d %v", refused.Status(), refused.Header())
			}
			for what, status := range map[string]int{"cancel": other.Cancel("1"), "DELETE": other.Delete(), "GET": other.Listen().Status()} {
				if status != http.StatusUnauthorized {
					t.Errorf("%s: HTTP %d", what, status)
				}
			}
			client.Answer(ask, rootsAnswer)
			if m := reply.Response(); m.Result == nil {
				t.Errorf("%s", m.Raw)
			}
		})
	}
}

// A kept view that is everybody's, and a server that never sees clients' credentials,
// say nothing about a credential that is new.
func TestAnUnverifiedTokenHasNoEffects(t *testing.T) {
	for _, c := range []struct {
		name    string
		public  bool
		forward upstream.Authorization
	}{
		{"under a public view", true, upstream.Forward()},
		{"where no credential goes up", false, upstream.NoAuthorization()},
		{"where a fixed credential goes up", false, upstream.Fixed("Bearer fixed")},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(o *proxy.Options) { o.Routes[0].Upstream.Authorization = c.forward })
			forged := jwt("ann", 666)
			w.upstream.Handle("server/discover", func(a *mcptest.Attempt) mcptest.Reply {
				if a.Header.Get("Authorization") == forged {
					return mcptest.Reply{Status: 401, Error: `{"code":-32000,"message":"no"}`}
				}
				result := mcptest.DiscoverResult
				if c.public {
					result = strings.NewReplacer(`"ttlMs":0`, `"ttlMs":60000`, `"private"`, `"public"`).Replace(result)
				}
				return mcptest.Reply{Result: result}
			})
			client := w.connectAs(jwt("ann", 1))
			if status := as(t, client, forged).Delete(); status < 400 {
				t.Errorf("DELETE by a forged token: HTTP %d", status)
			}
			if status := client.Request("1", "ping", "").Status(); status != http.StatusOK {
				t.Errorf("the session is gone: HTTP %d", status)
			}
		})
	}
}

func TestTheVersionHeader(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	for _, c := range []struct {
		name   string
		values []string
		status int
	}{
		{"the session's", []string{mcptest.V20250618}, 200},
		{"missing", nil, 200},
		{"another legacy one", []string{mcptest.V20241105}, 200},
		{"unknown", []string{"2025-01-01"}, 400},
		{"empty", []string{""}, 400},
		{"twice", []string{mcptest.V20250618, mcptest.V20250618}, 400},
		{"hostile", []string{strings.Repeat("9", 4000)}, 400},
		{"the modern one, within a session", []string{mcptest.ModernVersion}, 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			client.Header["Mcp-Protocol-Version"] = c.values
			reply := client.Request("1", "ping", "")
			if reply.Status() != c.status {
				t.Errorf("HTTP %d, want %d: %s", reply.Status(), c.status, reply.Body())
			}
			if len(reply.Body()) > 300 {
				t.Errorf("%d bytes of reply", len(reply.Body()))
			}
		})
	}
}
