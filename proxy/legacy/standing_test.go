package legacy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// subscribe sends resources/subscribe, or unsubscribe, and gives the response.
func subscribe(c *mcptest.Client, method, params string) *mcptest.Message {
	return c.Request("1", "resources/"+method, params).Response()
}

// listening waits until there is one listen, for a filter.
func (w *world) listening(filter string) (l *mcptest.Listen) {
	w.t.Helper()
	mcptest.Eventually(w.t, "one listen for "+filter, func() bool {
		open := w.upstream.Listens()
		if len(open) == 1 {
			l = open[0]
		}
		return len(open) == 1 && string(l.Filter) == filter
	})
	return l
}

const (
	allLists = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`
	withA    = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["f://a"]}`
	onlyA    = `{"resourceSubscriptions":["f://a"]}`
)

func TestWhatTheServerAnnouncesIsPromisedAndComesOnTheStandingStream(t *testing.T) {
	w := newWorld(t)
	for _, version := range []string{mcptest.V20241105, mcptest.V20250326, mcptest.V20250618, mcptest.V20251125} {
		c := w.connect(version)
		for _, path := range [][]string{{"tools", "listChanged"}, {"prompts", "listChanged"}, {"resources", "listChanged"}, {"resources", "subscribe"}} {
			if got := mcptest.Member(c.Server, append([]string{"capabilities"}, path...)...); string(got) != "true" {
				t.Errorf("%s: %v is %s", version, path, got)
			}
		}
	}
	c := w.connect(mcptest.V20251125)
	stream := c.Listen()
	stream.AwaitComments(1)
	for range 2 {
		if m := subscribe(c, "subscribe", `{"uri":"f:\/\/a"}`); string(m.Result) != `{}` {
			t.Errorf("subscribe: %s", m.Raw)
		}
	}
	l := w.listening(withA)
	l.Notify("notifications/tools/list_changed", "")
	stream.Notification("notifications/tools/list_changed")
	l.Notify("notifications/resources/updated", `"uri":"f://a","title":"A"`)
	if m := stream.Next(); string(m.Raw) != `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{},"uri":"f://a","title":"A"}}` || m.EventID != "" {
		t.Errorf("got %s, id %q", m.Raw, m.EventID)
	}
	for _, params := range []string{`{"uri":"f://a"}`, `{"uri":"f://a"}`, `{"uri":"f://never"}`} {
		if m := subscribe(c, "unsubscribe", params); string(m.Result) != `{}` {
			t.Errorf("unsubscribe: %s", m.Raw)
		}
	}
	w.listening(allLists)
	stream.Drop()
	w.upstream.AwaitListens(0)
	w.awaitQuiet()
}

func TestSubscriptionsThatCannotBe(t *testing.T) {
	w := newWorld(t)
	c := w.connect(mcptest.V20250618)
	for _, params := range []string{`{}`, `{"uri":7}`, `{"uri":""}`, `{"uri":null}`} {
		for _, method := range []string{"subscribe", "unsubscribe"} {
			if m := subscribe(c, method, params); m.Code() != -32602 {
				t.Errorf("%s %s: %s", method, params, m.Raw)
			}
		}
	}
	if m := subscribe(c, "subscribe", fmt.Sprintf(`{"uri":"f://%s"}`, strings.Repeat("x", 64<<10))); m.Code() != -32603 {
		t.Errorf("a long one: %.300s", m.Raw)
	}
	w.upstream.Handle("server/discover", mcptest.Always(mcptest.Reply{Status: http.StatusServiceUnavailable, Header: http.Header{"Content-Type": {"text/plain"}}}))
	if m := subscribe(c, "subscribe", `{"uri":"f://a"}`); m.Code() != -32603 {
		t.Errorf("no upstream: %s", m.Raw)
	}
	w.upstream.Handle("server/discover", mcptest.Always(mcptest.Reply{Result: strings.Replace(mcptest.DiscoverResult, `"subscribe":true,`, "", 1)}))
	for _, method := range []string{"subscribe", "unsubscribe"} {
		if m := subscribe(c, method, `{"uri":"f://a"}`); m.Code() != -32601 {
			t.Errorf("%s, which is not offered: %s", method, m.Raw)
		}
	}
}

func TestTooManySubscriptionsAreRefused(t *testing.T) {
	w := newWorld(t)
	c := w.connect(mcptest.V20250618)
	n := 0
	for ; ; n++ {
		m := subscribe(c, "subscribe", fmt.Sprintf(`{"uri":"f://%d"}`, n))
		if m.Code() == -32603 && strings.Contains(string(m.Raw), "as many subscriptions as it can have") {
			break
		}
		if m.Result == nil || n > 1000 {
			t.Fatalf("subscription %d: %s", n, m.Raw)
		}
	}
	if n != 256 {
		t.Errorf("%d subscriptions, want 256", n)
	}
	subscribe(c, "unsubscribe", `{"uri":"f://0"}`)
	if m := subscribe(c, "subscribe", `{"uri":"f://256"}`); m.Result == nil {
		t.Errorf("in place of another: %s", m.Raw)
	}
}

func TestAnUpdateWithoutAStreamIsDropped(t *testing.T) {
	w := newWorld(t)
	c := w.connect(mcptest.V20251125)
	subscribe(c, "subscribe", `{"uri":"f://a"}`)
	w.listening(onlyA).Notify("notifications/resources/updated", `"uri":"f://a"`)
	mcptest.Eventually(t, "it is counted", func() bool {
		return w.sum("messages_dropped_total", "direction", "downstream", "reason", "no_stream") == 1
	})
	stream := c.Listen()
	w.listening(withA).Notify("notifications/resources/updated", `"uri":"f://a"`)
	stream.Notification("notifications/resources/updated")
}

// A break in between must be noticed by the clients: what they know may be out of date.
func TestClientsLookAgainAfterABreak(t *testing.T) {
	w := newWorld(t)
	c, other := w.connect(mcptest.V20251125), w.connect(mcptest.V20250326)
	subscribe(c, "subscribe", `{"uri":"f://a"}`)
	stream, others := c.Listen(), other.Listen()
	w.listening(withA)
	w.upstream.Refuse()
	w.upstream.Accept()
	want := map[string]bool{"notifications/tools/list_changed": true, "notifications/prompts/list_changed": true, "notifications/resources/list_changed": true}
	for range len(want) {
		if m := others.Next(); !want[m.Method] {
			t.Errorf("the other got %s", m.Raw)
		}
	}
	want["notifications/resources/updated"] = true
	for range len(want) {
		m := stream.Next()
		if !want[m.Method] {
			t.Errorf("got %s", m.Raw)
		}
		delete(want, m.Method)
	}
	w.listening(withA).End(false)
	stream.Notification("notifications/resources/updated")
}

func TestWhatEndsAStandingStreamEndsTheListen(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*testing.T, *world, *mcptest.Client, *mcptest.Stream)
	}{
		{"the session ends", func(_ *testing.T, _ *world, c *mcptest.Client, _ *mcptest.Stream) { c.Delete() }},
		{"the proxy stops", func(_ *testing.T, w *world, _ *mcptest.Client, _ *mcptest.Stream) {
			w.stop()
			w.proxy.Close()
		}},
		{"the route gets another upstream", func(_ *testing.T, w *world, _ *mcptest.Client, _ *mcptest.Stream) {
			o := w.options
			o.Routes = append([]proxy.Route{}, o.Routes...)
			o.Routes[0].Upstream.Headers = http.Header{"X-Other": {"1"}}
			w.proxy.Reload(o)
		}},
		{"the route is gone", func(_ *testing.T, w *world, _ *mcptest.Client, _ *mcptest.Stream) {
			o := w.options
			o.Routes = nil
			w.proxy.Reload(o)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			client := w.connect(mcptest.V20251125)
			stream := client.Listen()
			subscribe(client, "subscribe", `{"uri":"f://a"}`)
			w.listening(withA)
			c.end(t, w, client, stream)
			if err := stream.End(); err != nil {
				t.Errorf("the stream ended with %v", err)
			}
			w.upstream.AwaitListens(0)
			w.awaitQuiet()
		})
	}
}

// A reload that changes nothing for a route leaves its streams alone, and a stream that is
// opened after it takes over from one that was opened before.
func TestAStandingStreamOutlivesAReload(t *testing.T) {
	w := newWorld(t)
	c := w.connect(mcptest.V20251125)
	first := c.Listen()
	l := w.listening(allLists)
	w.proxy.Reload(w.options)
	l.Notify("notifications/tools/list_changed", "")
	first.Notification("notifications/tools/list_changed")
	second := c.Listen()
	second.AwaitComments(1)
	l.Notify("notifications/prompts/list_changed", "")
	second.Notification("notifications/prompts/list_changed")
	second.Drop()
	mcptest.Eventually(t, "the second is gone", func() bool { return w.sum("streams_open", "kind", "standing") == 1 })
	l.Notify("notifications/resources/list_changed", "")
	first.Notification("notifications/resources/list_changed")
	if n := len(w.upstream.Attempts("subscriptions/listen")); n != 1 {
		t.Errorf("%d listens", n)
	}
}

// A session's token is replaced now and then: from when the new one is accepted on, it is
// the one that is listened under.
func TestTheListenFollowsTheSessionsToken(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) {
		o.Binding = session.BindSubject
		o.Routes[0].Upstream.Authorization = upstream.Forward()
	})
	w.upstream.Handle("tools/list", mcptest.Always(mcptest.Reply{Result: `{"tools":[],"ttlMs":0,"cacheScope":"private"}`}))
	c := mcptest.NewClient(t, w.url+"/mcp")
	c.Header = http.Header{"Authorization": {jwt("ann", 1)}}
	c.Initialize(mcptest.V20251125, `{}`)
	c.Listen().AwaitComments(1)
	w.listening(allLists)
	c.Header.Set("Authorization", jwt("ann", 2))
	c.Request("1", "tools/list", "").Response()
	var l *mcptest.Listen
	mcptest.Eventually(t, "a listen under the new token alone", func() bool {
		open := w.upstream.Listens()
		if len(open) == 1 {
			l = open[0]
		}
		return len(open) == 1 && l.Attempt.Header.Get("Authorization") == jwt("ann", 2)
	})
}

// A fault of the program in a standing stream is no empty reply, which a client would take for its end.
func TestAFaultInAStandingStream(t *testing.T) {
	w := newWorld(t, func(o *proxy.Options) { o.KeepAlive = 0 }) // of which there is no ticker
	if s := w.connect(mcptest.V20251125).Listen(); s.Status() != http.StatusInternalServerError {
		t.Errorf("HTTP %d %v", s.Status(), s.Header())
	}
	c := mcptest.NewClient(t, w.url+"/mcp/sse")
	if err := c.Listen().End(); err == nil {
		t.Error("a channel that broke looks whole")
	}
	w.awaitQuiet()
}

// faulty is a store that panics when it is asked what a session has subscribed to.
type faulty struct{ session.Store }

func (faulty) Subscriptions(session.ID) []string { panic("oh") }

func TestAFaultBeforeAStandingStreamLeavesNothingBehind(t *testing.T) {
	w := newWorld(t)
	w.shared.Store = faulty{w.shared.Store}
	p := proxy.New(w.shared, w.options)
	t.Cleanup(p.Close)
	c := mcptest.Connect(t, mcptest.Serve(t, p)+"/mcp", mcptest.V20251125, mcptest.EveryCapability)
	if s := c.Listen(); s.Status() != http.StatusInternalServerError {
		t.Errorf("HTTP %d", s.Status())
	}
	if n := w.sum("streams_open"); n != 0 {
		t.Errorf("%v streams are open", n)
	}
}
