package guard

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

// bare is an http.ResponseWriter that only has a header.
type bare struct {
	http.ResponseWriter
	header http.Header
}

func (b *bare) Header() http.Header { return b.header }

// plain is the request that a client beside the proxy sends, and its way through the guard.
func plain() (serve func()) {
	h := New(Options{AllowedHosts: []string{"proxy.example"}, LoopbackOrigins: true}).CORS(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	r := at("127.0.0.1:8808", "POST", "127.0.0.1:8808")
	w := &bare{header: http.Header{}}
	return func() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
}

func TestAPlainRequestCostsNoAllocation(t *testing.T) {
	if n := testing.AllocsPerRun(100, plain()); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkPlainRequest(b *testing.B) {
	serve := plain()
	b.ReportAllocs()
	for b.Loop() {
		serve()
	}
}

// A header that one answer adds to is no other answer's.
func TestAnswersDoNotShareWhatIsAdded(t *testing.T) {
	h := New(Options{}).CORS(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Header().Add("Vary", "Accept") }))
	for range 2 {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, at("127.0.0.1:8808", "POST", "localhost:8808"))
		if got := w.Header()["Vary"]; !slices.Equal(got, []string{"Origin", "Accept"}) {
			t.Errorf("Vary: %q", got)
		}
	}
}

func TestVaryOfBeforeIsKept(t *testing.T) {
	w := httptest.NewRecorder()
	w.Header().Set("Vary", "Accept")
	New(Options{}).CORS(http.HandlerFunc(served)).ServeHTTP(w, at("127.0.0.1:8808", "POST", "localhost:8808"))
	if got := w.Header()["Vary"]; !slices.Equal(got, []string{"Accept", "Origin"}) {
		t.Errorf("Vary: %q", got)
	}
}

// named is an address of some other listener.
type named string

func (named) Network() string  { return "tcp" }
func (n named) String() string { return string(n) }

func TestAddressesOfOtherListeners(t *testing.T) {
	g := New(Options{})
	for local, want := range map[net.Addr]bool{
		named("127.0.0.1:8808"):   true,
		named("127.0.0.1:8809"):   false,
		named("@"):                false,
		&net.TCPAddr{}:            false,
		&net.UnixAddr{Name: "/s"}: false,
		(*net.TCPAddr)(nil):       false,
		&net.TCPAddr{Port: 8808}:  false,
		&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8808}: true, // in 16 bytes
	} {
		r := at("", "POST", "127.0.0.1:8808")
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
		if got := g.Check(r) == nil; got != want {
			t.Errorf("on %#v: passed is %v", local, got)
		}
	}
}
