package admin

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
)

// from is a request of a peer to an admin listener on 10.0.0.1:8809.
func from(peer, method, path string) *http.Request {
	local := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 8809}
	ctx := context.WithValue(context.Background(), http.LocalAddrContextKey, local)
	r := httptest.NewRequestWithContext(ctx, method, "http://10.0.0.1:8809"+path, nil)
	r.RemoteAddr = peer
	return r
}

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
