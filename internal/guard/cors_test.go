package guard

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func served(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("served")) }

func TestAllowedOriginMayReadWhatClientsNeed(t *testing.T) {
	h := New(Options{AllowedOrigins: []string{"https://app.example"}}).CORS(http.HandlerFunc(served))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, at("127.0.0.1:8808", "POST", "localhost:8808", "https://app.example"))
	if w.Body.String() != "served" || w.Header().Get("Access-Control-Allow-Origin") != "https://app.example" || w.Header().Get("Vary") != "Origin" {
		t.Errorf("HTTP %d %q, %v", w.Code, w.Body, w.Header())
	}
	if exposed := w.Header().Get("Access-Control-Expose-Headers"); exposed != "Mcp-Session-Id, WWW-Authenticate" {
		t.Errorf("exposed: %s", exposed)
	}
	if w.Header().Get("Access-Control-Allow-Credentials") != "" {
		t.Error("cookies are granted")
	}
}

func TestPreflight(t *testing.T) {
	h := New(Options{LoopbackOrigins: true}).CORS(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached the handler") }))
	r := at("127.0.0.1:8808", "OPTIONS", "localhost:8808", "http://localhost:6274")
	r.Header.Set("Access-Control-Request-Method", "POST")
	r.Header.Set("Access-Control-Request-Headers", "content-type,mcp-param-region, X-Other,mcp-param-a\rb, mcp-param-é")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 204 || w.Header().Get("Access-Control-Allow-Origin") != "http://localhost:6274" || w.Header().Get("Access-Control-Allow-Methods") != "GET, POST, DELETE" {
		t.Errorf("HTTP %d, %v", w.Code, w.Header())
	}
	granted := strings.Split(w.Header().Get("Access-Control-Allow-Headers"), ", ")
	want := []string{"Content-Type", "Accept", "Authorization", "Mcp-Session-Id", "MCP-Protocol-Version", "Last-Event-ID", "Mcp-Method", "Mcp-Name", "mcp-param-region"}
	if !slices.Equal(granted, want) {
		t.Errorf("granted %q, want %q", granted, want)
	}
}

func TestNoOriginNoGrant(t *testing.T) {
	h := New(Options{LoopbackOrigins: true}).CORS(http.HandlerFunc(served))
	for _, method := range []string{"POST", "OPTIONS"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, at("127.0.0.1:8808", method, "localhost:8808"))
		if w.Body.String() != "served" || w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Vary") != "Origin" {
			t.Errorf("%s: HTTP %d %q, %v", method, w.Code, w.Body, w.Header())
		}
	}
}

func TestPlainOptionsIsNoPreflight(t *testing.T) {
	h := New(Options{LoopbackOrigins: true}).CORS(http.HandlerFunc(served))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, at("127.0.0.1:8808", "OPTIONS", "localhost:8808", "http://localhost:6274"))
	if w.Body.String() != "served" {
		t.Errorf("HTTP %d %q", w.Code, w.Body)
	}
}

func TestParameterHeadersOfAPreflightAreBounded(t *testing.T) {
	if n := strings.Count(paramHeaders(strings.Repeat("mcp-param-x,", 5000)), ","); n != maxParams {
		t.Errorf("%d names granted", n)
	}
}
