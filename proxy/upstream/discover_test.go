package upstream

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

func discovery(members string) string {
	return result(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":true,"logging":{}},"instructions":"be kind","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}` + members + `}`)
}

func discover(t testing.TB, u *Upstream, c Credential) (*View, *Error) {
	t.Helper()
	v, err := u.Discover(t.Context(), c)
	return v, failure(t, err)
}

// A view holds what the server said, raw, and what decisions are made on.
func TestView(t *testing.T) {
	s := serve(t, say(200, "application/json", discovery("")))
	u := to(t, s, func(o *Options) { o.Version = "1.2" })
	v, err := discover(t, u, Credential{})
	if err != nil {
		t.Fatal(err)
	}
	if string(v.ServerInfo) != `{"name":"s","version":"1"}` || string(v.Instructions) != `"be kind"` || !strings.HasPrefix(string(v.Capabilities), `{"tools":{`) {
		t.Errorf("view %s %s %s", v.ServerInfo, v.Instructions, v.Capabilities)
	}
	if !v.Tools || v.Prompts || !v.Resources || !v.Logging || v.Completions || !v.ToolsChanged || v.ResourcesChanged || !v.Subscribe {
		t.Errorf("view %+v", v)
	}
	q := s.requests()[0]
	if q.method != "server/discover" || q.header.Get("Mcp-Name") != "" || !strings.Contains(string(q.params["_meta"]), `"io.modelcontextprotocol/clientInfo":{"name":"mrtr-proxy","version":"1.2"}`) || !strings.Contains(string(q.params["_meta"]), `"io.modelcontextprotocol/clientCapabilities":{}`) {
		t.Errorf("the probe was %s", q.raw)
	}
	if u.Era() != Modern || !u.Accepted(session.Digest{}) {
		t.Errorf("era %s", u.Era())
	}
}

// What an answer to the probe proves: the server's era, or nothing.
func TestEvidence(t *testing.T) {
	for _, tc := range []struct {
		name   string
		script func(http.ResponseWriter, *http.Request, seen)
		era    Era
		reason Reason // 0: a view
	}{
		{"a result", say(200, "application/json", discovery("")), Modern, 0},
		{"a result without resultType", say(200, "application/json", result(`{"supportedVersions":["2026-07-28"],"capabilities":{}}`)), Modern, 0},
		{"a result on a stream", say(200, "text/event-stream", "data: "+discovery("")+"\n\n"), Modern, 0},
		{"-32022", say(400, "application/json", rpcError(`{"code":-32022,"message":"","data":{"supported":["2027-01-01"]}}`)), Modern, NoCommonVersion},
		{"-32021", say(400, "application/json", rpcError(`{"code":-32021,"message":""}`)), Modern, MissingCapability},
		{"-32020", say(400, "application/json", rpcError(`{"code":-32020,"message":""}`)), Modern, HeaderMismatch},
		{"another version", say(200, "application/json", result(`{"supportedVersions":["2027-01-01"],"capabilities":{}}`)), Modern, NoCommonVersion},
		{"input_required", say(200, "application/json", result(ask)), Modern, Protocol},

		{"400 text", say(400, "text/plain", "Unsupported protocol version"), Legacy, WrongEra},
		{"400 -32600", say(400, "application/json", rpcError(`{"code":-32600,"message":"missing session"}`)), Legacy, WrongEra},
		{"404 page", say(404, "text/html", page), Legacy, WrongEra},
		{"404 -32601", say(404, "application/json", rpcError(`{"code":-32601,"message":""}`)), Legacy, WrongEra},
		{"405", say(405, "", ""), Legacy, WrongEra},
		{"200 empty", say(200, "application/json", ""), Legacy, WrongEra},
		{"200 page", say(200, "text/html", page), Legacy, WrongEra},
		{"200 -32602", say(200, "application/json", rpcError(`{"code":-32602,"message":""}`)), Legacy, WrongEra},
		{"200 of no use", say(200, "application/json", result(`{}`)), Legacy, WrongEra},
		{"200 with null id", say(200, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}`), Legacy, WrongEra},
		{"204", say(204, "", ""), Legacy, WrongEra},

		{"401", say(401, "", "", "Www-Authenticate", "Bearer"), Unknown, Unauthorized},
		{"403", say(403, "", ""), Unknown, Unauthorized},
		{"408", say(408, "", ""), Unknown, Status},
		{"421", say(421, "", ""), Unknown, Status},
		{"425", say(425, "", ""), Unknown, Status},
		{"429", say(429, "application/json", rpcError(`{"code":-32000,"message":""}`)), Unknown, Status},
		{"503", say(503, "text/html", page), Unknown, Status},
		{"500 -32603", say(500, "application/json", rpcError(`{"code":-32603,"message":""}`)), Unknown, Status},
		{"302", say(302, "", "", "Location", "/login"), Unknown, Redirect},
		{"a cut stream", say(200, "text/event-stream", ": x\n\n"), Unknown, Cut},
		{"br", say(200, "application/json", "x", "Content-Encoding", "br"), Unknown, Encoding},
		{"silence", func(_ http.ResponseWriter, r *http.Request, _ seen) { gone(r) }, Unknown, Timeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tc.script)
			u := to(t, s, func(o *Options) {
				if tc.reason == Timeout {
					o.Timeout = 50 * time.Millisecond
				}
			})
			if u.Era() != Unknown {
				t.Fatalf("era %s before the probe", u.Era())
			}
			v, err := discover(t, u, Credential{})
			if u.Era() != tc.era {
				t.Errorf("era %s, want %s (%v)", u.Era(), tc.era, err)
			}
			if tc.reason == 0 && (err != nil || v == nil) || tc.reason != 0 && (err == nil || err.Reason != tc.reason) {
				t.Errorf("got %+v, want reason %d", err, tc.reason)
			}
			n := len(s.requests())
			_, _ = discover(t, u, Credential{})
			if again := len(s.requests()) > n; again == (tc.era == Legacy) {
				t.Errorf("probed again: %v", again)
			}
		})
	}
}

// A set era is not asked for, and not argued with.
func TestSetEra(t *testing.T) {
	s := serve(t, say(404, "text/html", page))
	u := to(t, s, func(o *Options) { o.Era = Legacy })
	if _, err := discover(t, u, Credential{}); err == nil || err.Reason != WrongEra || len(s.requests()) != 0 {
		t.Errorf("legacy: %+v after %d requests", err, len(s.requests()))
	}
	u = to(t, s, func(o *Options) { o.Era = Modern })
	if _, err := discover(t, u, Credential{}); err == nil || err.Reason != Status || u.Era() != Modern {
		t.Errorf("modern: %+v, era %s", err, u.Era())
	}
	u = to(t, serve(t, say(200, "application/json", rpcError(`{"code":-32601,"message":"Method\nnot found"}`))), func(o *Options) { o.Era = Modern })
	if _, err := discover(t, u, Credential{}); err == nil || !strings.Contains(err.Message, "-32601: Method not found") {
		t.Errorf("modern: %+v", err)
	}
}

// A temporary failure is not remembered.
func TestProbeFailureIsTemporary(t *testing.T) {
	var up atomic.Bool
	u := to(t, serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		if up.Load() {
			say(200, "application/json", discovery(""))(w, r, q)
			return
		}
		w.WriteHeader(503)
	}))
	if _, err := discover(t, u, Credential{}); err == nil || u.Era() != Unknown {
		t.Errorf("got %+v, era %s", err, u.Era())
	}
	up.Store(true)
	if _, err := discover(t, u, Credential{}); err != nil {
		t.Error(err)
	}
}

// Callers that come together share one probe; one that leaves takes nothing with it.
func TestOneProbe(t *testing.T) {
	arrived, answer := make(chan struct{}, 10), make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		arrived <- struct{}{}
		<-answer
		say(200, "application/json", discovery(`,"ttlMs":60000,"cacheScope":"private"`))(w, r, q)
	})
	u := to(t, s)
	ctx, leave := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() { _, err := u.Discover(ctx, Credential{}); first <- err }()
	<-arrived
	leave()
	if err := <-first; failure(t, err).Reason != Cancelled {
		t.Errorf("the one that left got %v", err)
	}
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if v, err := u.Discover(context.Background(), Credential{}); err != nil || v == nil {
				t.Errorf("got %v %v", v, err)
			}
		})
	}
	close(answer)
	wg.Wait()
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d probes", n)
	}
}

// Close ends a probe that nobody ends otherwise.
func TestCloseEndsAProbe(t *testing.T) {
	u := to(t, serve(t, func(_ http.ResponseWriter, r *http.Request, _ seen) { gone(r) }))
	got := make(chan error, 1)
	go func() { _, err := u.Discover(context.Background(), Credential{}); got <- err }()
	u.Close()
	if e := failure(t, <-got); e.Reason != Cancelled {
		t.Errorf("got %+v", e)
	}
}

// roundTrip is a transport in this process, so that time can be made to pass.
type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

// offline makes an Upstream whose server is answer: a status, and a body in which ID stands for the id.
func offline(answer func(r *http.Request) (int, string)) (*Upstream, *atomic.Int32) {
	var n atomic.Int32
	o := Options{URL: mustParse("http://server.example/mcp"), Timeout: time.Minute, Transport: roundTrip(func(r *http.Request) *http.Response {
		n.Add(1)
		status, body := answer(r)
		return answerTo(r, status, body)
	})}
	return New(o), &n
}

// A view is kept for as long as the server allows, for whom it allows.
func TestViewsAreKept(t *testing.T) {
	a, b := Credential{"Bearer a", session.Digest{1}}, Credential{"Bearer b", session.Digest{2}}
	for _, tc := range []struct {
		members string
		rule    Authorization
		calls   []Credential
		probes  int32
		later   time.Duration // then once more by the first
		again   int32
	}{
		{`,"ttlMs":0,"cacheScope":"private"`, Forward(), []Credential{a, a}, 2, 0, 3},
		{``, Forward(), []Credential{a, a}, 2, 0, 3},
		{`,"ttlMs":-5,"cacheScope":"public"`, Forward(), []Credential{a, a}, 2, 0, 3},
		{`,"ttlMs":1000,"cacheScope":"private"`, Forward(), []Credential{a, a, b, b}, 2, 999 * time.Millisecond, 2},
		{`,"ttlMs":1000,"cacheScope":"private"`, Forward(), []Credential{a, a, b, b}, 2, time.Second, 3},
		{`,"ttlMs":1000,"cacheScope":"public"`, Forward(), []Credential{a, b, a}, 1, time.Second, 2},
		{`,"ttlMs":1000,"cacheScope":"public"`, Forward(), []Credential{a, {}, b}, 2, 0, 2},
		{`,"ttlMs":1000,"cacheScope":"public"`, Forward(), []Credential{{}, a, b}, 1, 0, 1},
		{`,"ttlMs":1000,"cacheScope":"private"`, Fixed("x"), []Credential{a, b, {}}, 1, 0, 1},
		{`,"ttlMs":99999999999999999,"cacheScope":"private"`, Forward(), []Credential{a, a}, 1, 25 * time.Hour, 2},
		{`,"ttlMs":1e3,"cacheScope":"private"`, Forward(), []Credential{a, a}, 2, 0, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			u, n := offline(func(*http.Request) (int, string) { return 200, discovery(tc.members) })
			u.o.Authorization = tc.rule
			defer u.Close()
			for _, c := range tc.calls {
				if _, err := discover(t, u, c); err != nil {
					t.Fatal(err)
				}
			}
			if got := n.Load(); got != tc.probes {
				t.Errorf("%s %v: %d probes, want %d", tc.members, tc.calls, got, tc.probes)
			}
			time.Sleep(tc.later)
			_, _ = discover(t, u, tc.calls[0])
			if got := n.Load(); got != tc.again {
				t.Errorf("%s %v: %d probes after %v, want %d", tc.members, tc.calls, got, tc.later, tc.again)
			}
		})
	}
}

// A legacy verdict is looked at again after a while, and stands when that brings nothing; a modern server is given up only
// when it has looked legacy for a while.
func TestVerdictsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, body := 404, ""
		u, n := offline(func(*http.Request) (int, string) { return status, body })
		defer u.Close()
		step := func(after time.Duration, s int, b string, era Era, probes int32) {
			t.Helper()
			time.Sleep(after)
			status, body = s, b
			before := n.Load()
			_, _ = discover(t, u, Credential{})
			if got := n.Load() - before; u.Era() != era || got != probes {
				t.Errorf("HTTP %d after %v: era %s and %d probes, want %s and %d", s, after, u.Era(), got, era, probes)
			}
		}
		step(0, 404, "", Legacy, 1)
		step(legacyFor-time.Second, 200, discovery(""), Legacy, 0)
		step(2*time.Second, 503, "", Legacy, 1)
		step(0, 200, discovery(""), Modern, 1)
		step(0, 404, "", Modern, 1)
		step(doubtFor/2, 404, "", Modern, 1)
		step(0, 200, discovery(""), Modern, 1)
		step(doubtFor, 404, "", Modern, 1)
		step(doubtFor, 404, "", Legacy, 1)
	})
}

// Views by credential are bounded.
func TestViewsAreBounded(t *testing.T) {
	u, _ := offline(func(*http.Request) (int, string) { return 200, discovery(`,"ttlMs":1000000,"cacheScope":"private"`) })
	defer u.Close()
	for i := range 3 * viewsMax {
		u.views.keep(session.Digest{1, byte(i), byte(i >> 8)}, &View{}, time.Hour, false, time.Now())
	}
	if n := len(u.views.private.young) + len(u.views.private.old); n > 2*viewsMax {
		t.Errorf("%d views", n)
	}
}
