package admin

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
)

// world is what an admin listener looks at.
type world struct {
	readiness error
	notes     []string
	problem   error
	reloads   int
}

func (s *world) handler() http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(prometheus.NewCounter(prometheus.CounterOpts{Name: "seen_total", Help: "x"}))
	g := guard.New(guard.Options{LoopbackOrigins: true})
	return New(Options{
		Guard: func() *guard.Guard { return g },
		Ready: func() error { return s.readiness },
		Reload: func(context.Context) ([]string, error) {
			s.reloads++
			return s.notes, s.problem
		},
		Gatherer: reg,
		Log:      zap.NewNop(),
		Level:    zap.NewAtomicLevel(),
	})
}

func (s *world) serve(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(s.handler())
	t.Cleanup(srv.Close)
	return srv
}

// ask sends a request; change may be nil.
func ask(t *testing.T, method, url string, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestEndpoints(t *testing.T) {
	srv := (&world{}).serve(t)
	for _, tc := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/-/healthy", 200, "healthy"},
		{"GET", "/-/ready", 200, "ready"},
		{"HEAD", "/-/ready", 200, ""},
		{"GET", "/metrics", 200, "seen_total 0"},
		{"GET", "/debug/pprof/", 200, "goroutine"},
		{"GET", "/debug/pprof/goroutine?debug=1", 200, "goroutine profile"},
		{"GET", "/debug/pprof/cmdline", 200, "admin.test"},
		{"POST", "/-/reload", 200, "reloaded"},
		{"GET", "/-/reload", 405, ""},
		{"POST", "/-/healthy", 405, ""},
		{"GET", "/", 404, ""},
		{"GET", "/-/quit", 404, ""},
	} {
		if status, body := ask(t, tc.method, srv.URL+tc.path, nil); status != tc.status || !strings.Contains(body, tc.says) {
			t.Errorf("%s %s: HTTP %d %.200q, want %d and %q", tc.method, tc.path, status, body, tc.status, tc.says)
		}
	}
}

func TestForeignHostAndOriginAreRefusedEverywhere(t *testing.T) {
	s := &world{}
	srv := s.serve(t)
	for _, path := range []string{"/-/healthy", "/-/ready", "/-/reload", "/metrics", "/debug/pprof/", "/nowhere"} {
		for _, method := range []string{"GET", "POST", "OPTIONS"} {
			for name, change := range map[string]func(*http.Request){
				"host":   func(r *http.Request) { r.Host = "attacker.example" },
				"origin": func(r *http.Request) { r.Header.Set("Origin", "http://attacker.example") },
			} {
				if status, _ := ask(t, method, srv.URL+path, change); status != 403 {
					t.Errorf("%s %s, foreign %s: HTTP %d", method, path, name, status)
				}
			}
		}
	}
	if s.reloads != 0 {
		t.Error("a foreign page reloaded the configuration")
	}
}

func TestNoOriginIsGrantedToRead(t *testing.T) {
	srv := (&world{}).serve(t)
	resp, err := http.DefaultClient.Do(&http.Request{Method: "GET", URL: mustURL(t, srv.URL+"/metrics"), Header: http.Header{"Origin": {"http://localhost:3000"}}})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 || resp.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("HTTP %d, CORS grant %q", resp.StatusCode, resp.Header.Get("Access-Control-Allow-Origin"))
	}
}

func TestReloadAndProfilesAreForThisMachine(t *testing.T) {
	s := &world{}
	h := s.handler()
	for _, tc := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/-/healthy", 200},
		{"GET", "/-/ready", 200},
		{"GET", "/metrics", 200},
		{"POST", "/-/reload", 403},
		{"GET", "/debug/pprof/", 403},
		{"GET", "/debug/pprof/heap", 403},
		{"GET", "/debug/pprof/profile", 403},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, from("10.0.0.7:4000", tc.method, tc.path))
		if w.Code != tc.status {
			t.Errorf("%s %s from another machine: HTTP %d, want %d", tc.method, tc.path, w.Code, tc.status)
		}
	}
	if s.reloads != 0 {
		t.Error("another machine reloaded the configuration")
	}
}

func TestNotReadySaysWhy(t *testing.T) {
	srv := (&world{readiness: errors.New("draining")}).serve(t)
	if status, body := ask(t, "GET", srv.URL+"/-/ready", nil); status != 503 || !strings.Contains(body, "draining") {
		t.Errorf("HTTP %d %q", status, body)
	}
	if status, _ := ask(t, "GET", srv.URL+"/-/healthy", nil); status != 200 {
		t.Errorf("healthy: HTTP %d", status)
	}
}

func TestReloadTells(t *testing.T) {
	srv := (&world{notes: []string{"listen: needs a restart"}}).serve(t)
	if status, body := ask(t, "POST", srv.URL+"/-/reload", nil); status != 200 || body != "reloaded\nlisten: needs a restart\n" {
		t.Errorf("HTTP %d %q", status, body)
	}
	srv = (&world{problem: errors.New("c.yaml:1: nonsense: unknown key\nc.yaml:2: more")}).serve(t)
	if status, body := ask(t, "POST", srv.URL+"/-/reload", nil); status != 422 || body != "c.yaml:1: nonsense: unknown key\nc.yaml:2: more\n" {
		t.Errorf("HTTP %d %q", status, body)
	}
}
