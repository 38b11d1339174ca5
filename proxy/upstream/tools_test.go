package upstream

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// A list that goes to a client tells as much, without a request of the proxy's own.
func TestListsOfClientsAreLearnedFrom(t *testing.T) {
	paged := []string{listed(`,"nextCursor":"é1"`, plainTool), listed(`,"nextCursor":"é2"`, marked("deploy", "Count")), listed("", plainTool)}
	for name, tc := range map[string]struct {
		pages    []string
		cursors  []string
		requests string
		mirrored string
	}{
		"whole":             {[]string{listed("", marked("deploy", "Count"))}, []string{""}, "lc", "Count=9007199254740993"},
		"no annotations":    {[]string{listed("", plainTool)}, []string{""}, "lc", ""},
		"pages":             {paged, []string{"", `"\u00e91"`, `"é2"`}, "lllc", "Count=9007199254740993"},
		"begun again":       {paged, []string{"", `"é1"`, "", `"é1"`, `"é2"`}, "lllllc", "Count=9007199254740993"},
		"not to the end":    {paged, []string{"", `"é1"`}, "lllllc", "Count=9007199254740993"},
		"last page only":    {paged, []string{`"é2"`}, "llllc", "Count=9007199254740993"},
		"one page left out": {paged, []string{"", `"é2"`}, "lllllc", "Count=9007199254740993"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{pages: tc.pages}
			u := s.upstream()
			defer u.Close()
			for _, cursor := range tc.cursors {
				must(t, u, list(t, cursor))
			}
			must(t, u, toolCall(t))
			if got := s.methods(); got != tc.requests || !slices.Equal(s.mirrored(), []string{tc.mirrored}) {
				t.Errorf("requests %s, want %s; headers %q", got, tc.requests, s.mirrored())
			}
		})
	}
}

// A list is for its credential only, unless the server says that it is everybody's or everybody's is the same.
func TestWhoseToolsTheyAre(t *testing.T) {
	for _, tc := range []struct {
		members  string
		rule     Authorization
		requests string
	}{
		{`,"cacheScope":"private"`, Forward(), "lclcc"},
		{``, Forward(), "lclcc"},
		{`,"cacheScope":"public"`, Forward(), "lccc"},
		{`,"cacheScope":"private"`, Fixed("x"), "lccc"},
		{`,"cacheScope":"private"`, NoAuthorization(), "lccc"},
	} {
		s := &shelf{pages: []string{listed(tc.members, marked("deploy", "Count"))}}
		u := s.upstream(func(o *Options) { o.Authorization = tc.rule })
		must(t, u, as(toolCall(t), 1), as(toolCall(t), 2), as(toolCall(t), 1))
		if got := s.methods(); got != tc.requests || slices.Contains(s.mirrored(), "") {
			t.Errorf("%s %v: requests %s, want %s; headers %q", tc.members, tc.rule, got, tc.requests, s.mirrored())
		}
		u.Close()
	}
}

// Nobody waits for a list that is only to be renewed, and a server that keeps nothing fresh is not asked for every call.
func TestListsAreRenewedInTime(t *testing.T) {
	for _, tc := range []struct {
		members string
		fresh   time.Duration
	}{
		{``, freshAtLeast}, {`,"ttlMs":0`, freshAtLeast}, {`,"ttlMs":-1`, freshAtLeast}, {`,"ttlMs":600000`, 10 * time.Minute}, {`,"ttlMs":999999999999`, maxTTL},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{pages: []string{listed(tc.members, marked("deploy", "Old"))}}
			u := s.upstream()
			defer u.Close()
			must(t, u, toolCall(t))
			time.Sleep(tc.fresh - time.Second)
			must(t, u, toolCall(t))
			synctest.Wait()
			if got := s.methods(); got != "lcc" {
				t.Errorf("%s: requests %s while fresh", tc.members, got)
			}
			s.pages = []string{listed(tc.members, marked("deploy", "New"))}
			time.Sleep(time.Second)
			must(t, u, toolCall(t))
			synctest.Wait()
			must(t, u, toolCall(t))
			got := s.mirrored()
			if n := strings.Count(s.methods(), "l"); n != 2 || !strings.HasPrefix(got[2], "Old") || !strings.HasPrefix(got[3], "New") {
				t.Errorf("%s: %d lists, headers %q", tc.members, n, got)
			}
		})
	}
}

// Tools that cannot be listed are not asked for with every call; what was known stays.
func TestUnlistedTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{pages: []string{"<html>"}, status: 503}
		u := s.upstream()
		defer u.Close()
		must(t, u, toolCall(t), toolCall(t))
		time.Sleep(unlistedFor)
		must(t, u, toolCall(t))
		synctest.Wait()
		if got := s.methods(); strings.Count(got, "l") != 2 || !strings.HasPrefix(got, "lcc") {
			t.Errorf("requests %s", got)
		}
		s.pages, s.status = []string{listed("", marked("deploy", "Count"))}, 0
		time.Sleep(unlistedFor)
		must(t, u, toolCall(t))
		synctest.Wait()
		s.pages, s.status = []string{"<html>"}, 503
		time.Sleep(freshAtLeast)
		must(t, u, toolCall(t))
		synctest.Wait()
		must(t, u, toolCall(t))
		if got := s.mirrored(); strings.Count(s.methods(), "l") != 4 || !strings.HasPrefix(got[4], "Count") || !strings.HasPrefix(got[5], "Count") {
			t.Errorf("requests %s, headers %q", s.methods(), got)
		}
	})
}

// A call waits for a list that does not come as long as it must, and then goes without.
func TestSilentList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{pages: []string{listed("", plainTool)}}
		u := s.upstream()
		inner := u.library
		through(u, func(r *http.Request) (*http.Response, error) {
			if r.Header.Get("Mcp-Method") == wire.MethodToolsList {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return inner.RoundTrip(r)
		})
		began := time.Now()
		must(t, u, toolCall(t))
		if took := time.Since(began); took != listPatience {
			t.Errorf("the call waited %v", took)
		}
		u.Close()
	})
}

// Calls that come together share one list.
func TestOneListForManyCalls(t *testing.T) {
	s := &shelf{pages: []string{listed("", marked("deploy", "Count"))}}
	u := s.upstream()
	defer u.Close()
	inner, begin := u.library, make(chan struct{})
	through(u, func(r *http.Request) (*http.Response, error) {
		<-begin
		return inner.RoundTrip(r)
	})
	var wg sync.WaitGroup
	for range 20 {
		c := toolCall(t)
		wg.Go(func() {
			if _, err := u.Attempt(t.Context(), c, Retry{}, &sink{}); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	wg.Wait()
	if got := s.methods(); got != "l"+strings.Repeat("c", 20) || slices.Contains(s.mirrored(), "") {
		t.Errorf("requests %s, headers %q", got, s.mirrored())
	}
}

// When the server says that its tools have changed, the next call asks; a list that was under way by then is not trusted.
func TestToolsChanged(t *testing.T) {
	for _, scope := range []string{"public", "private"} {
		s := &shelf{pages: []string{listed(`,"ttlMs":3600000,"cacheScope":"`+scope+`"`, marked("deploy", "Old"))}}
		u := s.upstream()
		must(t, u, as(toolCall(t), 1))
		s.pages = []string{listed(`,"ttlMs":3600000,"cacheScope":"`+scope+`"`, marked("deploy", "New"))}
		u.ToolsChanged(as(toolCall(t), 1).Credential)
		must(t, u, as(toolCall(t), 1), as(toolCall(t), 1))
		if got := s.mirrored(); s.methods() != "lclcc" || !strings.HasPrefix(got[1], "New") || !strings.HasPrefix(got[2], "New") {
			t.Errorf("%s: requests %s, headers %q", scope, s.methods(), got)
		}
		u.Close()
	}
	u := New(Options{URL: mustParse("http://server.example/mcp")})
	defer u.Close()
	late := &catalogue{asked: u.lastID.Load()}
	u.ToolsChanged(Credential{})
	now := time.Now()
	u.tools.keep(audience{}, late, time.Hour, false, now)
	if known := u.tools.known(audience{}); known != late || now.Before(known.until) {
		t.Errorf("a list from before the change is taken for fresh: %+v", known)
	}
	u.tools.keep(audience{}, &catalogue{}, time.Hour, false, now)
	if u.tools.known(audience{}) != late {
		t.Error("an older list replaced a newer one")
	}
}

// Each tool that must not be shown is told of once in a while, by a name that is safe to print, on its route.
func TestInvalidToolsAreToldOfOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.WarnLevel)
		s := &shelf{pages: []string{listed("", marked(`evil\n\u202ename`, ""), marked("bad", "a b"), marked("deploy", "Count"))}}
		u := s.upstream(func(o *Options) { o.Log = zap.New(core) })
		defer u.Close()
		for range 3 {
			must(t, u, list(t, ""), toolCall(t))
		}
		warnings := logs.TakeAll()
		if len(warnings) != 2 {
			t.Fatalf("%d warnings: %v", len(warnings), warnings)
		}
		for i, tool := range []string{"evil  name", "bad"} {
			fields := warnings[i].ContextMap()
			if fields["tool"] != tool || fields["route"] != "/mcp" || fields["reason"] == "" {
				t.Errorf("warning %v", fields)
			}
		}
		time.Sleep(warnedFor)
		must(t, u, list(t, ""))
		synctest.Wait()
		if n := logs.Len(); n != 2 {
			t.Errorf("%d warnings after a while", n)
		}
		if got := s.mirrored(); slices.Contains(got, "") {
			t.Errorf("a good tool lost its header: %q", got)
		}
	})
}

// What is kept of a list, and of how many, is bounded.
func TestCataloguesAreBounded(t *testing.T) {
	var many []string
	for i := range 5000 {
		many = append(many, marked(fmt.Sprint("tool", i), "Count"))
	}
	s := &shelf{pages: []string{listed("", many...)}}
	u := s.upstream()
	defer u.Close()
	must(t, u, toolCall(t))
	if n := len(u.tools.known(audience{}).tools); n == 0 || n == 5000 {
		t.Errorf("%d tools", n)
	}
	for i := range 3 * cataloguesMax {
		u.tools.keep(audience{1, byte(i), byte(i >> 8)}, &catalogue{}, time.Hour, false, time.Now())
	}
	if n := len(u.tools.private.young) + len(u.tools.private.old); n > 2*cataloguesMax {
		t.Errorf("%d catalogues", n)
	}
}

// A long list with a member of another kind of result went down in pieces, invalid tools and all.
func TestListsAreNeverPassedOnInPieces(t *testing.T) {
	s := serve(t, say(200, "application/json", result(`{"content":[],"tools":["`+strings.Repeat("x", streamOver)+`"]}`)))
	got, _, err := try(t, to(t, s), list(t, ""), Retry{})
	if err != nil || got.asked != 0 || len(got.replies) != 1 {
		t.Errorf("%v, asked %d times for a stream, %d replies", err, got.asked, len(got.replies))
	}
}

// through has an Upstream's attempts take another way.
func through(u *Upstream, way roundTripUntil) { u.transport = transport.Over(way) }
