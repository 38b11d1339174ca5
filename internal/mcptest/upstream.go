package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// ModernVersion is the protocol revision that an [Upstream] speaks.
const ModernVersion = "2026-07-28"

// DiscoverResult is what an [Upstream] answers to server/discover unless
// scripted otherwise: every capability, and instructions.
const DiscoverResult = `{"resultType":"complete","supportedVersions":["2026-07-28"],` +
	`"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"logging":{},"completions":{}},` +
	`"instructions":"handle with care","ttlMs":0,"cacheScope":"private",` +
	`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"mcptest","version":"1.2.3"}}}`

// PlainTool is the one tool that an [Upstream] lists unless told otherwise.
const PlainTool = `{"name":"release","inputSchema":{"type":"object"}}`

// Script answers one attempt. Scripts run concurrently.
type Script func(*Attempt) Reply

// Upstream is a scripted modern server on a loopback port. It validates every
// request as strictly as the specification lets a server, answers a violation
// as a server must, and fails the test for it when the test ends.
type Upstream struct {
	t       testing.TB
	address string

	watch
	server   *httptest.Server // nil while dials are refused
	stopping chan struct{}    // closed when the server goes down
	scripts  map[string]Script
	handler  http.Handler // in place of everything, if set
	attempts []*Attempt
	open     map[string]*Attempt // being served, by id
	faults   []string
	lenient  bool
	params   map[string][]paramHeader // by tool, as Tools told
	listens  map[*Listen]bool
}

// NewUpstream starts a server that knows server/discover, tools/list and
// subscriptions/listen; [Upstream.Handle] adds to that. It ends with the test.
func NewUpstream(t testing.TB) *Upstream {
	t.Helper()
	u := &Upstream{t: t, open: map[string]*Attempt{}, scripts: map[string]Script{}, listens: map[*Listen]bool{}}
	u.Handle("server/discover", Always(Reply{Result: DiscoverResult}))
	u.Handle("subscriptions/listen", u.serveListen)
	u.Tools(PlainTool)
	u.start("127.0.0.1:0")
	t.Cleanup(u.close)
	return u
}

// URL is the MCP endpoint.
func (u *Upstream) URL() string { return "http://" + u.address + "/mcp" }

// Handle sets the script of a method.
func (u *Upstream) Handle(method string, s Script) {
	u.look(func() { u.scripts[method] = s })
}

// HandleHTTP serves every request by h from now on, without validation; nil
// goes back to the scripts. It is for servers of another era or of none.
func (u *Upstream) HandleHTTP(h http.Handler) { u.look(func() { u.handler = h }) }

// Lenient turns the validation off.
func (u *Upstream) Lenient() { u.look(func() { u.lenient = true }) }

// TakeFaults returns the violations seen so far and forgets them, so that they
// no longer fail the test.
func (u *Upstream) TakeFaults() (faults []string) {
	u.look(func() { faults, u.faults = u.faults, nil })
	return faults
}

// Attempts returns the attempts of a method so far, in the order of their
// arrival; "" is every method.
func (u *Upstream) Attempts(method string) (found []*Attempt) {
	u.look(func() { found = u.attemptsOf(method) })
	return found
}

// Await waits until a method has had n attempts and returns the n-th.
func (u *Upstream) Await(method string, n int) *Attempt {
	u.t.Helper()
	var found []*Attempt
	if !u.await(Patience, func() bool { found = u.attemptsOf(method); return len(found) >= n }) {
		u.t.Fatalf("%d attempts of %q within %v, want %d", len(found), method, Patience, n)
	}
	return found[n-1]
}

func (u *Upstream) attemptsOf(method string) (found []*Attempt) {
	for _, a := range u.attempts {
		if method == "" || a.Method == method {
			found = append(found, a)
		}
	}
	return found
}

// Refuse breaks every connection and refuses new ones until [Upstream.Accept].
func (u *Upstream) Refuse() {
	var server *httptest.Server
	u.look(func() { server, u.server = u.server, nil })
	if server == nil {
		return
	}
	_ = server.Listener.Close()     // nobody comes back in between
	server.CloseClientConnections() // before scripts can end their replies cleanly
	close(u.stopping)               // scripts that wait let go, for Close waits for them
	server.Close()
}

// Accept undoes [Upstream.Refuse], at the same address.
func (u *Upstream) Accept() {
	u.t.Helper()
	var running bool
	u.look(func() { running = u.server != nil })
	if !running {
		u.start(u.address)
	}
}

// Break breaks every connection as it stands and goes on serving new ones.
func (u *Upstream) Break() {
	var server *httptest.Server
	u.look(func() { server = u.server })
	if server != nil {
		server.CloseClientConnections() // without the lock: it waits for scripts
	}
}

func (u *Upstream) start(address string) {
	u.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		u.t.Fatalf("upstream: %v", err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.HandlerFunc(u.serve), ReadHeaderTimeout: Patience}}
	u.look(func() {
		u.address, u.server, u.stopping = listener.Addr().String(), server, make(chan struct{})
		server.Start()
	})
}

func (u *Upstream) close() {
	u.Refuse()
	for _, fault := range u.TakeFaults() {
		u.t.Errorf("the upstream was sent a request that breaks the specification: %s", fault)
	}
}

func (u *Upstream) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the proxy gave up while it sent the request
	}
	a := &Attempt{
		HTTPMethod: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), At: time.Now(), Body: body,
		gone: r.Context().Done(),
	}
	problem := a.parse()
	var handler http.Handler
	var script Script
	out := &Writer{w: w, upstream: u, attempt: a}
	u.update(func() {
		a.Number = len(u.attemptsOf(a.Method)) + 1
		u.attempts = append(u.attempts, a)
		handler, script, out.stopping = u.handler, u.scripts[a.Method], u.stopping
		if handler == nil && !u.lenient {
			problem = u.validate(a, problem)
		}
		u.open[string(a.ID)] = a
	})
	defer func() { // also when the script breaks the connection
		a.served.Store(r.Context().Err() == nil)
		u.answered(a)
	}()
	switch {
	case handler != nil:
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	case problem != nil:
		out.refuse(problem)
	case script == nil:
		out.refuse(&refusal{status: http.StatusNotFound, code: codeMethodNotFound, text: "Method not found"})
	default:
		out.reply(script(a))
	}
}

// answered lets the id of an attempt be used again; it comes before the
// response can reach the proxy.
func (u *Upstream) answered(a *Attempt) {
	u.look(func() {
		if u.open[string(a.ID)] == a {
			delete(u.open, string(a.ID))
		}
	})
}

// parse takes the envelope apart and returns what is wrong with it.
func (a *Attempt) parse() *refusal {
	if a.HTTPMethod != http.MethodPost {
		return fault(http.StatusMethodNotAllowed, codeInvalidRequest, "HTTP method %s", a.HTTPMethod)
	}
	envelope, err := objectOf(a.Body)
	if err != nil {
		return fault(http.StatusBadRequest, codeParse, "no JSON-RPC message: %v", err)
	}
	a.ID, a.Params = envelope["id"], envelope["params"]
	a.Method = textOf(envelope["method"])
	for name := range envelope {
		switch name {
		case "jsonrpc", "id", "method", "params":
		default:
			return fault(http.StatusBadRequest, codeInvalidRequest, "a request has no member %q", name)
		}
	}
	if textOf(envelope["jsonrpc"]) != "2.0" || a.Method == "" || !json.Valid(a.Body) {
		return fault(http.StatusBadRequest, codeInvalidRequest, "no JSON-RPC 2.0 request: %.80s", a.Body)
	}
	return nil
}

// refusal is an error response to a request that a server need not serve.
type refusal struct {
	status, code int
	text         string
	fault        bool // the request violates the specification
}

func fault(status, code int, format string, args ...any) *refusal {
	return &refusal{status: status, code: code, text: fmt.Sprintf(format, args...), fault: true}
}
