package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

const metadataDocument = `{"resource":"https://up.example/mcp","authorization_servers":["https://as.example"]}`

// site is an origin that has documents at some paths.
type site struct {
	mu   sync.Mutex
	at   map[string]func() (int, string)
	seen []*http.Request
}

// RoundTrip implements http.RoundTripper.
func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.seen = append(s.seen, r)
	answer := s.at[r.URL.Path]
	s.mu.Unlock()
	if answer == nil {
		answer = func() (int, string) { return 404, "page not found" }
	}
	status, body := answer()
	if status == 0 {
		return nil, errors.New("no connection")
	}
	return &http.Response{StatusCode: status, ProtoMajor: 1, Header: http.Header{"Location": {"https://up.example/elsewhere"}}, Request: r, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// paths are the paths that were asked for, and forgets them.
func (s *site) paths() (paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.seen {
		paths = append(paths, r.URL.String())
	}
	s.seen = nil
	return paths
}

func (s *site) upstream(address string, change ...func(*Options)) *Upstream {
	o := Options{Route: "/mcp", URL: mustParse(address), Transport: s}
	for _, f := range change {
		f(&o)
	}
	return New(o)
}

func says(status int, body string) func() (int, string) {
	return func() (int, string) { return status, body }
}

// The metadata is at the path of the server's own first, then at its origin's; nowhere else, and no redirect leads away.
func TestWhereMetadataIs(t *testing.T) {
	const own, root = wellKnownResource + "/mcp", wellKnownResource
	for name, tc := range map[string]struct {
		address string // http://up.example/mcp unless it is given
		at      map[string]func() (int, string)
		asked   []string
		found   bool
		failed  bool
	}{
		"at its path":       {at: map[string]func() (int, string){own: says(200, metadataDocument), root: says(500, "")}, asked: []string{own}, found: true},
		"at its origin":     {at: map[string]func() (int, string){root: says(200, metadataDocument)}, asked: []string{own, root}, found: true},
		"nowhere":           {asked: []string{own, root}},
		"behind a redirect": {at: map[string]func() (int, string){own: says(307, ""), "/elsewhere": says(200, metadataDocument)}, asked: []string{own, root}},
		"behind a login":    {at: map[string]func() (int, string){own: says(401, ""), root: says(403, "")}, asked: []string{own, root}},
		"a page":            {at: map[string]func() (int, string){own: says(200, "<html>"), root: says(200, metadataDocument)}, asked: []string{own, root}, found: true},
		"a list":            {at: map[string]func() (int, string){own: says(200, "["+metadataDocument+"]")}, asked: []string{own, root}},
		"repeated members":  {at: map[string]func() (int, string){own: says(200, `{"resource":"a","resource":"b"}`)}, asked: []string{own, root}},
		"too long":          {at: map[string]func() (int, string){own: says(200, `{"a":"`+strings.Repeat("x", maxResourceMetadata)+`"}`)}, asked: []string{own, root}},
		"a fault":           {at: map[string]func() (int, string){own: says(503, "")}, asked: []string{own, root}, failed: true},
		"a fault at first":  {at: map[string]func() (int, string){own: says(0, ""), root: says(200, metadataDocument)}, asked: []string{own, root}, found: true},
		"too many requests": {at: map[string]func() (int, string){own: says(429, "")}, asked: []string{own, root}, failed: true},
		"with a byte order mark": {
			at: map[string]func() (int, string){own: says(200, "\ufeff "+metadataDocument)}, asked: []string{own}, found: true,
		},
		"of an origin": {address: "http://up.example/", at: map[string]func() (int, string){root: says(200, metadataDocument)}, asked: []string{root}, found: true},
		"of a path with a slash and a query": {
			address: "http://up.example/a/mcp/?key=s3cret", at: map[string]func() (int, string){}, asked: []string{root + "/a/mcp/", root},
		},
	} {
		if tc.address == "" {
			tc.address = "http://up.example/mcp"
		}
		s := &site{at: tc.at}
		u := s.upstream(tc.address)
		document, err := u.ResourceMetadata(t.Context())
		if (document != nil) != tc.found || (err != nil) != tc.failed {
			t.Errorf("%s: %q, %v", name, document, err)
		}
		var want []string
		for _, path := range tc.asked {
			want = append(want, "http://up.example"+path)
		}
		if got := s.paths(); !slices.Equal(got, want) {
			t.Errorf("%s: asked %q, want %q", name, got, want)
		}
		u.Close()
	}
}

// Metadata is public: it is fetched without a credential, though with the headers that the server's gateway may want.
func TestMetadataIsFetchedForNobody(t *testing.T) {
	s := &site{}
	u := s.upstream("http://up.example/mcp", func(o *Options) {
		o.Headers = http.Header{"X-Api-Key": {"k"}, "Authorization": {"Bearer s3cret"}}
		o.Authorization = Fixed("Bearer s3cret")
	})
	defer u.Close()
	if _, err := u.ResourceMetadata(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.seen {
		if r.Method != http.MethodGet || r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "k" || r.Header.Get("Accept-Encoding") != "identity" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}
	}
}

// A document is kept for minutes, its absence and a failure only for a moment.
func TestMetadataIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		answer func() (int, string)
		keep   time.Duration
		looks  int // at one time
	}{
		"a document": {says(200, metadataDocument), resourceFor, 1},
		"none":       {says(404, ""), noResourceFor, 2},
		"a failure":  {says(502, ""), failedResourceFor, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &site{at: map[string]func() (int, string){wellKnownResource + "/mcp": tc.answer}}
			u := s.upstream("http://up.example/mcp")
			defer u.Close()
			for at, want := range []int{tc.looks, 0, tc.looks} {
				_, _ = u.ResourceMetadata(t.Context())
				if got := len(s.paths()); got != want {
					t.Errorf("%s, look %d: %d requests, want %d", name, at, got, want)
				}
				time.Sleep([]time.Duration{tc.keep - time.Millisecond, time.Millisecond, 0}[at])
			}
		})
	}
}

// Many clients log in at once when a server comes up: it is asked once, and one that leaves takes nothing with it. A server
// that says nothing is not waited for long.
func TestOneLookForMetadata(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		u := New(Options{URL: mustParse("http://up.example/mcp"), Transport: silent{&asked}})
		defer u.Close()
		left, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if document, err := u.ResourceMetadata(t.Context()); document != nil || err == nil {
					t.Errorf("%q, %v", document, err)
				}
			})
		}
		wg.Go(func() {
			if _, err := u.ResourceMetadata(left); !errors.Is(err, context.Canceled) {
				t.Errorf("who left got %v", err)
			}
		})
		synctest.Wait()
		leave()
		began := time.Now()
		wg.Wait()
		if took := time.Since(began); asked.Load() != 2 || took > 2*resourceMetadataTime {
			t.Errorf("%d requests in %v", asked.Load(), took)
		}
	})
}

// silent is a server that never answers.
type silent struct{ asked *atomic.Int32 }

// RoundTrip implements http.RoundTripper.
func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	<-r.Context().Done()
	return nil, context.Cause(r.Context())
}
