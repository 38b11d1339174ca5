package upstream

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// A call that comes first has the tools listed, all pages of them; later ones cost nothing more.
func TestColdCallListsTheTools(t *testing.T) {
	for name, tc := range map[string]struct {
		pages    []string
		requests string
		mirrored string
	}{
		"one page":       {[]string{listed("", plainTool, marked("deploy", "Count"))}, "lcc", "Count=9007199254740993"},
		"two pages":      {[]string{listed(`,"nextCursor":"\u00e91"`, plainTool), listed("", marked("deploy", "Count"))}, "llcc", "Count=9007199254740993"},
		"other tools":    {[]string{listed("", plainTool, marked("other", "Count"))}, "lcc", ""},
		"no annotations": {[]string{listed("", plainTool)}, "lcc", ""},
		"no tools":       {[]string{result(`{"resultType":"complete"}`)}, "lcc", ""},
		"an invalid one": {[]string{listed("", marked("deploy", "a b"))}, "lcc", ""},
		"an error":       {[]string{rpcError(`{"code":-32601,"message":"no"}`)}, "lcc", ""},
		"not modern":     {[]string{result(`{"resultType":"other"}`)}, "lcc", ""},
		"then an error":  {[]string{listed(`,"nextCursor":"é1"`, marked("deploy", "Count")), rpcError(`{"code":-32603,"message":"no"}`)}, "llcc", ""},
		"no end":         {[]string{listed(`,"nextCursor":""`, marked("deploy", "Count"))}, strings.Repeat("l", maxPages) + "cc", "Count=9007199254740993"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &shelf{pages: tc.pages}
			u := s.upstream()
			defer u.Close()
			must(t, u, toolCall(t), toolCall(t))
			second := tc.mirrored
			if name == "then an error" {
				second = "Count=9007199254740993" // what has come of the list is known
			}
			if got := s.methods(); got != tc.requests {
				t.Errorf("requests %s, want %s", got, tc.requests)
			}
			if got := s.mirrored(); !slices.Equal(got, []string{tc.mirrored, second}) {
				t.Errorf("headers %q", got)
			}
		})
	}
}

// The list is asked for as the call is: under its credential, and with what its client can.
func TestListSpeaksForTheCall(t *testing.T) {
	s := &shelf{pages: []string{listed("", plainTool)}}
	u := s.upstream()
	defer u.Close()
	must(t, u, as(toolCall(t), 1))
	l, c := s.seen[0], s.seen[1]
	if l.header.Get("Authorization") != "Bearer b" || l.header.Get("Mcp-Name") != "" || string(l.params["_meta"]) != string(c.params["_meta"]) || l.id == c.id {
		t.Errorf("listed with %v %s", l.header, l.raw)
	}
}

// Where there is nothing to mirror nobody asks for the tools.
func TestNothingToMirror(t *testing.T) {
	s := &shelf{pages: []string{listed("", plainTool)}}
	u := s.upstream()
	defer u.Close()
	for _, params := range []string{`{"name":"deploy"}`, `{"name":"deploy","arguments":{ }}`, `{"name":"deploy","arguments":null}`, `{"name":"deploy","arguments":[1]}`} {
		must(t, u, request(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`))
	}
	must(t, u, request(t, `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"deploy","arguments":{"n":"1"}}}`))
	if got := s.methods(); got != "ccccp" {
		t.Errorf("requests %s", got)
	}
}

// After a refusal the tools are listed once and the call is sent once more, with the new headers and a new id.
func TestRenamedHeader(t *testing.T) {
	s := &shelf{pages: []string{listed(`,"ttlMs":3600000`, marked("deploy", "Owner"))}, header: "Owner"}
	u := s.upstream()
	defer u.Close()
	must(t, u, toolCall(t))
	s.header, s.pages = "Who", []string{listed(`,"ttlMs":3600000`, marked("deploy", "Who"))}
	must(t, u, toolCall(t), toolCall(t))
	got := s.mirrored()
	for i, name := range []string{"Owner", "Owner", "Who", "Who"} {
		if len(got) != 4 || !strings.HasPrefix(got[i], name+"=") {
			t.Fatalf("headers %q", got)
		}
	}
	if got := s.methods(); got != "lcclcc" || s.seen[2].id == s.seen[4].id {
		t.Errorf("requests %s", got)
	}
}

// What no list cures is given up after one, also when there is none to be had.
func TestRefusedHeadersAreGivenUp(t *testing.T) {
	for name, s := range map[string]*shelf{
		"other header": {header: "Never", pages: []string{listed("", marked("deploy", "Count"))}},
		"no list":      {header: "Never", pages: []string{rpcError(`{"code":-32601,"message":"no"}`)}},
	} {
		u := s.upstream()
		must(t, u, list(t, ""))
		_, _, err := try(t, u, toolCall(t), Retry{})
		if err == nil || err.Reason != HeaderMismatch || err.Code != wire.CodeInternal || !strings.Contains(err.Message, "Never is missing") {
			t.Errorf("%s: %+v", name, err)
		}
		if got := s.methods(); !strings.HasSuffix(got, "clc") || strings.Count(got, "c") != 2 {
			t.Errorf("%s: requests %s", name, got)
		}
		u.Close()
	}
}

// Calls that were refused together need one list.
func TestOneListForManyRefusals(t *testing.T) {
	s := &shelf{pages: []string{listed("", marked("deploy", "Owner"))}}
	u := s.upstream()
	defer u.Close()
	must(t, u, toolCall(t))
	s.header, s.pages = "Who", []string{listed("", marked("deploy", "Who"))}
	inner := u.library
	var refused atomic.Int32
	all := make(chan struct{})
	through(u, func(r *http.Request) (*http.Response, error) {
		resp, err := inner.RoundTrip(r)
		if resp.StatusCode == 400 {
			if refused.Add(1) == 10 {
				close(all)
			}
			<-all
		}
		return resp, err
	})
	var wg sync.WaitGroup
	for range 10 {
		c := toolCall(t)
		wg.Go(func() {
			if _, err := u.Attempt(t.Context(), c, Retry{}, &sink{}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := s.methods(); strings.Count(got, "l") != 2 || strings.Count(got, "c") != 21 {
		t.Errorf("requests %s", got)
	}
}

// A call that looked before a list came looks again in place of asking for one more.
func TestAListThatCameSinceTheCallLooked(t *testing.T) {
	s := &shelf{pages: []string{listed("", marked("deploy", "Owner"))}}
	u := s.upstream()
	defer u.Close()
	c := toolCall(t)
	must(t, u, c)
	first := u.tools.known(audience{})
	<-u.list(audience{}, c, first).done
	for name, seen := range map[string]*catalogue{"nothing": nil, "an earlier one": first} {
		if u.list(audience{}, c, seen) != nil {
			t.Errorf("who has seen %s has the tools listed once more", name)
		}
	}
	if got := s.methods(); got != "lcl" {
		t.Errorf("requests %s", got)
	}
}
