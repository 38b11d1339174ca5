package daemon

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

// fetch asks the traffic listener over TLS; it returns the protocol, or the error.
func (w *world) fetch(t *testing.T, c *tls.Config) string {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+w.Addr().String()+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(r)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return resp.Proto + " " + string(body)
}

func TestTLSTowardsClients(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.issue("server")
	w := start(t, fmt.Sprintf("tls: {cert_file: %s, key_file: %s}\n", cert, key)+oneRoute)
	if got := w.fetch(t, a.client("")); got != "HTTP/2.0 served" {
		t.Errorf("%s", got)
	}
	old := a.client("")
	old.MinVersion, old.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	if got := w.fetch(t, old); !strings.Contains(got, "protocol version") {
		t.Errorf("TLS 1.1: %s", got)
	}
	if got := w.fetch(t, newAuthority(t).client("")); !strings.Contains(got, "unknown authority") {
		t.Errorf("a client that does not trust the certificate: %s", got)
	}
	if status, body := w.get(t, "GET", "http://"+w.Addr().String()+"/"); status != 400 {
		t.Errorf("plain HTTP: %d %s", status, body)
	}
}

func TestClientsShowCertificates(t *testing.T) {
	a, stranger := newAuthority(t), newAuthority(t)
	cert, key := a.issue("server")
	w := start(t, fmt.Sprintf("tls: {cert_file: %s, key_file: %s, client_ca_file: %s/ca.pem}\n", cert, key, a.dir)+oneRoute)
	if got := w.fetch(t, a.client("ann")); got != "HTTP/2.0 served" {
		t.Errorf("%s", got)
	}
	if got := w.fetch(t, a.client("")); strings.Contains(got, "served") {
		t.Errorf("without: %s", got)
	}
	w.logs(t, "didn't provide a certificate")
	foreign := a.client("")
	foreign.Certificates = stranger.client("eve").Certificates
	foreign.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &foreign.Certificates[0], nil }
	if got := w.fetch(t, foreign); strings.Contains(got, "served") {
		t.Errorf("a stranger's: %s", got)
	}
	w.logs(t, "signed by unknown authority")
}

// serial is the serial number of the certificate that a handshake shows now.
func serial(t *testing.T, c *certificates, client *tls.Config) int64 {
	t.Helper()
	c.mu.Lock()
	c.looked = time.Time{} // it has been a while
	c.mu.Unlock()
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	done := make(chan error, 1)
	go func() { done <- tls.Server(there, c.server()).HandshakeContext(t.Context()) }()
	conn := tls.Client(here, client)
	if err := conn.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

func TestARenewedCertificateIsTakenWithoutAReload(t *testing.T) {
	a := newAuthority(t)
	cert, key := a.issue("server")
	c, err := newCertificates(config.TLS{CertFile: cert, KeyFile: key}, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	first := serial(t, c, a.client(""))
	if again := serial(t, c, a.client("")); again != first {
		t.Errorf("%d, then %d", first, again)
	}
	if err := os.WriteFile(cert, []byte("half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	if broken := serial(t, c, a.client("")); broken != first {
		t.Errorf("files that cannot be used: %d, want the last good one, %d", broken, first)
	}
	a.issue("server")
	renewed := a.last
	if got := serial(t, c, a.client("")); got != renewed {
		t.Errorf("after the renewal: %d, want %d", got, renewed)
	}
}

func TestFilesForTLSAreJudgedAtTheStart(t *testing.T) {
	a, b := newAuthority(t), newAuthority(t)
	cert, key := a.issue("server")
	_, other := b.issue("server")
	for name, f := range map[string]config.TLS{
		"no such file":           {CertFile: a.dir + "/none", KeyFile: key},
		"the key of another":     {CertFile: cert, KeyFile: other},
		"a key as a certificate": {CertFile: key, KeyFile: key},
		"no authority":           {CAFile: key},
	} {
		if err := checkTLS(f); err == nil || !strings.Contains(err.Error(), a.dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := checkTLS(config.TLS{CertFile: cert, KeyFile: key, CAFile: a.dir + "/ca.pem"}); err != nil {
		t.Error(err)
	}
}

// A server behind an authority of its own that asks for a certificate.
func TestTLSTowardsAServer(t *testing.T) {
	a := newAuthority(t)
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, id, _ := strings.Cut(string(body), `"id":`)
		id, _, _ = strings.Cut(id, ",")
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"behind-tls","version":"1"}},"ttlMs":0,"cacheScope":"private"}}`, id)
	}))
	up.TLS = a.client("server") // its certificate is good for both ends
	up.TLS.ClientCAs, up.TLS.ClientAuth = a.pool(), tls.RequireAndVerifyClientCert
	up.StartTLS()
	t.Cleanup(up.Close)
	cert, key := a.issue("proxy")
	for name, tc := range map[string]struct{ tls, says string }{
		"with both":             {fmt.Sprintf("ca_file: %s/ca.pem, cert_file: %s, key_file: %s", a.dir, cert, key), `"behind-tls"`},
		"without a certificate": {fmt.Sprintf("ca_file: %s/ca.pem", a.dir), `"error"`},
		"without the authority": {fmt.Sprintf("cert_file: %s, key_file: %s", cert, key), `"error"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{log: &output{}, yaml: base + fmt.Sprintf("routes: [{upstream: {url: '%s/mcp', tls: {%s}}}]\n", up.URL, tc.tls)}
			o := w.options()
			o.Build = nil
			d, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			d.Start()
			defer d.Stop(context.Background())
			if _, body := initialize(t, d.Addr()); !strings.Contains(body, tc.says) {
				t.Errorf("%s", body)
			}
		})
	}
}

// initialize opens a session.
func initialize(t *testing.T, at net.Addr) (int, string) {
	t.Helper()
	return post(t, "http://"+at.String()+"/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

func TestConnectionsAreBounded(t *testing.T) {
	w := start(t, "max_connections: 2\n"+oneRoute)
	dial := func() net.Conn {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", w.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	served := func(c net.Conn) bool {
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+w.Addr().String()+"\r\n\r\n")
		n, err := c.Read(make([]byte, 1))
		return n == 1 && err == nil
	}
	first, second := dial(), dial()
	if !served(first) || !served(second) {
		t.Fatal("two are not served")
	}
	if served(dial()) {
		t.Error("a third is served")
	}
	if !strings.Contains(w.log.String(), "max_connections are open") {
		t.Errorf("the log does not say so: %s", w.log)
	}
	_ = first.Close()
	l := w.front.listener.(*bounded)
	for deadline := time.Now().Add(10 * time.Second); l.open.Load() > 1; {
		if time.Now().After(deadline) {
			t.Fatalf("%d are open", l.open.Load())
		}
	}
	if !served(dial()) {
		t.Error("no room after one has left")
	}
}
