package proxy_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// asking is a guarded server with a tool that asks for a port first.
func asking(t *testing.T, good ...string) *guarded {
	t.Helper()
	g := newGuarded(t, good...)
	g.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Form("q", "Which port?", mcptest.PortSchema)))
	return g
}

const port = `{"action":"accept","content":{"port":1}}`

// open connects and calls the tool that asks.
func open(t *testing.T, d *mcptest.Daemon, token string) (*mcptest.Client, *mcptest.Stream, *mcptest.Message) {
	t.Helper()
	c := as(mcptest.NewClient(t, d.Endpoint()), token)
	c.Initialize(mcptest.V20251125, `{"elicitation":{}}`)
	call := c.CallTool("1", "release", `{}`)
	return c, call, call.Ask("elicitation/create")
}

// The person takes longer to answer than the token is good. The client refreshes it and answers under the new one: the
// retry goes up under that.
func TestTokenIsRefreshedInTheMiddleOfAnExchange(t *testing.T) {
	t.Parallel()
	old, fresh := bearer("ann", 1), bearer("ann", 2)
	g := asking(t, old)
	d := g.start(t, "", publish, old, fresh)
	c, call, ask := open(t, d, old)
	g.accepts(old, false)
	g.accepts(fresh, true)
	if status := as(c, fresh).Answer(ask, port); status != 202 {
		t.Fatalf("answer: HTTP %d", status)
	}
	if m := call.Response(); !strings.Contains(m.Text(), `"port":1`) {
		t.Errorf("%s", m.Raw)
	}
	if got := g.authorizations("tools/call"); !slices.Equal(got, []string{old, fresh}) {
		t.Errorf("attempts under %q", got)
	}
}

// The client learns by another request that its token has expired: an exchange that waits for the server profits from that,
// and requests that were on their way with older tokens do not undo it.
func TestRefreshByAnotherRequest(t *testing.T) {
	t.Parallel()
	old, middle, fresh := bearer("ann", 1), bearer("ann", 2), bearer("ann", 3)
	g := newGuarded(t, old, middle, fresh)
	ready := make(chan struct{})
	g.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		select {
		case <-ready:
			return mcptest.Reply{Result: mcptest.Text("done")}
		default:
			return mcptest.Reply{Result: mcptest.InputRequired(`"later"`)}
		}
	})
	d := g.start(t, "", "", old, middle, fresh)
	c := as(mcptest.NewClient(t, d.Endpoint()), old)
	c.Initialize(mcptest.V20251125, `{}`)
	call := c.CallTool("1", "release", `{}`)
	g.Await("tools/call", 2)
	for i, token := range []string{middle, fresh, middle, old} {
		as(c, token).Request(strconv.Itoa(i+2), "tools/list", `{}`).Response()
	}
	g.accepts(old, false)
	g.accepts(middle, false)
	close(ready)
	if m := call.Response(); m.Text() != "done" {
		t.Errorf("%s", m.Raw)
	}
	if got := g.authorizations("tools/call"); got[0] != old || got[len(got)-1] != fresh {
		t.Errorf("attempts under %q", got)
	}
}

// The token expires and the client does not notice: its call ends with an error, since nothing of HTTP can be said any
// more, and the next one is challenged.
func TestTokenExpiresInTheMiddleOfAnExchange(t *testing.T) {
	t.Parallel()
	old, fresh := bearer("ann", 1), bearer("ann", 2)
	g := asking(t, old)
	d := g.start(t, "", publish, old, fresh)
	c, call, ask := open(t, d, old)
	g.accepts(old, false)
	if status := c.Answer(ask, port); status != 202 {
		t.Fatalf("answer: HTTP %d", status)
	}
	if m := call.Response(); m.Code() != -32603 || !strings.Contains(m.ErrorText(), "did not accept the credential") || string(mcptest.Member(m.Error, "data", "status")) != "401" {
		t.Errorf("%s", m.Raw)
	}
	if err := call.End(); err != nil {
		t.Errorf("end: %v", err)
	}
	next := c.Request("2", "tools/list", `{}`)
	if next.Status() != 401 || !strings.Contains(next.Header().Get("Www-Authenticate"), d.URL()+wellKnown+"/mcp") {
		t.Errorf("next: HTTP %d, %q", next.Status(), next.Header().Get("Www-Authenticate"))
	}
	g.accepts(fresh, true)
	if m := as(c, fresh).Request("3", "tools/list", `{}`).Response(); m.Result == nil {
		t.Errorf("after a refresh, in the same session: %s", m.Raw)
	}
}

// Whoever has the session's id and claims to be its subject answers nothing and ends nothing as long as the server has not
// taken the token; not even when everybody may see what the server offers.
func TestForgedTokenAnswersNothing(t *testing.T) {
	t.Parallel()
	token, forged, foreign := bearer("ann", 1), bearer("ann", 666), bearer("bob", 1)
	g := asking(t, token, foreign)
	g.Handle("server/discover", mcptest.Always(mcptest.Reply{Result: strings.Replace(mcptest.DiscoverResult, `"ttlMs":0,"cacheScope":"private"`, `"ttlMs":600000,"cacheScope":"public"`, 1)}))
	d := g.start(t, "", publish, token, forged, foreign)
	c, call, ask := open(t, d, token)
	for thief, want := range map[string]int{forged: 401, foreign: 404} {
		as(c, thief)
		for what, status := range map[string]int{
			"answer": c.Answer(ask, port), "cancel": c.Cancel("1"), "delete": c.Delete(), "stream": c.Listen().Status(),
		} {
			if status != want {
				t.Errorf("%s: HTTP %d, want %d", what, status, want)
			}
		}
	}
	if status := as(c, token).Answer(ask, port); status != 202 {
		t.Errorf("answer: HTTP %d", status)
	}
	if m := call.Response(); m.Text() == "" || m.IsToolError() {
		t.Errorf("%s", m.Raw)
	}
	if got := g.authorizations("tools/call"); !slices.Equal(got, []string{token, token}) {
		t.Errorf("attempts under %q", got)
	}
}

// A token that was refreshed and then revoked is good for nothing any more, whatever was kept under it.
func TestTokenIsRevoked(t *testing.T) {
	t.Parallel()
	old, fresh, third := bearer("ann", 1), bearer("ann", 2), bearer("ann", 3)
	g := asking(t, old, fresh)
	g.Handle("server/discover", mcptest.Always(mcptest.Reply{Result: strings.Replace(mcptest.DiscoverResult, `"ttlMs":0`, `"ttlMs":600000`, 1)}))
	d := g.start(t, "", publish, old, fresh, third)
	c, call, ask := open(t, d, old)
	as(c, fresh).Request("2", "tools/list", `{}`).Response()
	g.accepts(old, false)
	g.accepts(fresh, false)
	if reply := c.Request("3", "tools/list", `{}`); reply.Status() != 401 {
		t.Errorf("a request: HTTP %d", reply.Status())
	}
	if status := c.Answer(ask, port); status != 401 {
		t.Errorf("an answer: HTTP %d", status)
	}
	if status := c.Delete(); status != 401 {
		t.Errorf("DELETE: HTTP %d", status)
	}
	g.accepts(third, true)
	if status := as(c, third).Answer(ask, port); status != 202 {
		t.Errorf("an answer under a new token: HTTP %d", status)
	}
	if m := call.Response(); !strings.Contains(m.Text(), `"port":1`) {
		t.Errorf("%s", m.Raw)
	}
	if got := g.authorizations("tools/call"); !slices.Equal(got, []string{old, third}) {
		t.Errorf("attempts under %q", got)
	}
}

// What the server offers to one client is kept from another, unless it says that everybody may see it.
func TestViewsAreKeptApart(t *testing.T) {
	t.Parallel()
	ann, bob, eve := bearer("ann", 1), bearer("bob", 1), bearer("eve", 1)
	names := map[string]string{ann: "ann", bob: "bob", eve: "eve"}
	for scope, want := range map[string]string{"private": "ann bob ann", "public": "ann ann ann"} {
		g := newGuarded(t, ann, bob)
		g.Handle("server/discover", func(a *mcptest.Attempt) mcptest.Reply {
			result := strings.Replace(mcptest.DiscoverResult, `"ttlMs":0,"cacheScope":"private"`, `"ttlMs":600000,"cacheScope":"`+scope+`"`, 1)
			return mcptest.Reply{Result: strings.Replace(result, "handle with care", names[a.Header.Get("Authorization")], 1)}
		})
		d := g.start(t, "", "", ann, bob, eve)
		var told []string
		for _, token := range []string{ann, bob, ann} {
			c := as(mcptest.NewClient(t, d.Endpoint()), token)
			c.Initialize(mcptest.V20251125, `{}`)
			told = append(told, strings.Trim(string(mcptest.Member(c.Server, "instructions")), `"`))
		}
		if got := strings.Join(told, " "); got != want {
			t.Errorf("%s: %s, want %s", scope, got, want)
		}
		if scope == "private" {
			if reply := as(mcptest.NewClient(t, d.Endpoint()), eve).Post(hello); reply.Status() != 401 {
				t.Errorf("a token the server does not take: HTTP %d", reply.Status())
			}
		}
	}
}
