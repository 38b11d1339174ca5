package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The legacy protocol revisions.
const (
	V20241105 = "2024-11-05"
	V20250326 = "2025-03-26"
	V20250618 = "2025-06-18"
	V20251125 = "2025-11-25"
)

// EveryCapability is what a legacy client declares that can be asked for anything.
const EveryCapability = `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{"listChanged":true}}`

// Client is a raw legacy client: one HTTP request at a time over real
// connections, every byte chosen by the test. Its methods never wait for a
// reply unless they say so; the [Stream] they return does.
type Client struct {
	t        testing.TB
	http     *http.Client
	Endpoint string
	Session  string          // Mcp-Session-Id, "" before initialize
	Version  string          // negotiated, "" before initialize
	Server   json.RawMessage // result of initialize
	// Header goes on every request in place of the usual fields; a field
	// without values leaves the usual one out. Host sets the request's host.
	Header http.Header
}

// NewClient returns a client without a session. Its streams end with the test.
func NewClient(t testing.TB, endpoint string) *Client {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4}
	t.Cleanup(transport.CloseIdleConnections)
	keep := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{t: t, http: &http.Client{Transport: transport, CheckRedirect: keep}, Endpoint: endpoint, Header: http.Header{}}
}

// Connect returns a client with a session of a version and raw capabilities.
func Connect(t testing.TB, endpoint, version, capabilities string) *Client {
	t.Helper()
	c := NewClient(t, endpoint)
	c.Initialize(version, capabilities)
	return c
}

// Serve runs a handler on a loopback port until the test ends and returns its
// address as an URL without a path.
func Serve(t testing.TB, h http.Handler) string {
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// Initialize opens the client's session and sends notifications/initialized.
// It waits for both.
func (c *Client) Initialize(version, capabilities string) *Message {
	c.t.Helper()
	params := fmt.Sprintf(`{"protocolVersion":%s,"capabilities":%s,"clientInfo":{"name":"mcptest","version":"0.1"}}`, Quote(version), capabilities)
	reply := c.Request(`"init"`, "initialize", params)
	m := reply.Response()
	c.Session = reply.Header().Get("Mcp-Session-Id")
	if m.Result == nil || c.Session == "" {
		c.t.Fatalf("initialize: HTTP %d, session %q, %s", reply.Status(), c.Session, m.Raw)
	}
	c.Server, c.Version = m.Result, textOf(Member(m.Result, "protocolVersion"))
	if status := c.Notify("notifications/initialized", ""); status != http.StatusAccepted {
		c.t.Fatalf("notifications/initialized: HTTP %d", status)
	}
	return m
}

// Request sends a request; id and params are raw JSON, "" leaves params out.
func (c *Client) Request(id, method, params string) *Stream {
	c.t.Helper()
	return c.Post(envelope(`"id":`+id+`,`, method, params))
}

// CallTool calls a tool with raw arguments.
func (c *Client) CallTool(id, tool, arguments string) *Stream {
	c.t.Helper()
	return c.Request(id, "tools/call", `{"name":`+Quote(tool)+`,"arguments":`+arguments+`}`)
}

// Notify sends a notification, waits for its reply and returns the HTTP status.
func (c *Client) Notify(method, params string) int {
	c.t.Helper()
	return c.Post(envelope("", method, params)).Status()
}

// Answer answers a question with a raw result, waits for the reply and returns
// its HTTP status.
func (c *Client) Answer(ask *Message, result string) int {
	c.t.Helper()
	return c.Post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, ask.ID, result)).Status()
}

// Refuse answers a question with an error, waits for the reply and returns its
// HTTP status.
func (c *Client) Refuse(ask *Message, code int, text string) int {
	c.t.Helper()
	return c.Post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, ask.ID, code, Quote(text))).Status()
}

// Cancel cancels a request by its raw id, waits for the reply and returns its
// HTTP status.
func (c *Client) Cancel(id string) int {
	c.t.Helper()
	return c.Notify("notifications/cancelled", `{"requestId":`+id+`}`)
}

// Listen opens a standing stream.
func (c *Client) Listen() *Stream { c.t.Helper(); return c.Do(http.MethodGet, "", nil) }

// Resume asks for the rest of a stream after an event.
func (c *Client) Resume(lastEventID string) *Stream {
	c.t.Helper()
	return c.Do(http.MethodGet, "", http.Header{"Last-Event-Id": {lastEventID}})
}

// Delete ends the session, waits for the reply and returns its HTTP status.
func (c *Client) Delete() int { c.t.Helper(); return c.Do(http.MethodDelete, "", nil).Status() }

// Post sends a body as it is.
func (c *Client) Post(body string) *Stream { c.t.Helper(); return c.Do(http.MethodPost, body, nil) }

// Do sends any HTTP request with the client's usual header fields, under those
// of Header, under those of extra.
func (c *Client) Do(method, body string, extra http.Header) *Stream {
	c.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Stream{t: c.t, what: fmt.Sprintf("%s %.120s", method, body), cancel: cancel}
	var reader io.Reader
	if method == http.MethodPost {
		reader = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.Endpoint, reader)
	if err != nil {
		c.t.Fatal(err)
	}
	c.usualHeader(request)
	for _, more := range []http.Header{c.Header, extra} {
		override(request, more)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		s.send(c.http, request)
	}()
	c.t.Cleanup(func() {
		cancel()
		<-read
	})
	return s
}

func (c *Client) usualHeader(request *http.Request) {
	switch request.Method {
	case http.MethodPost:
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
	case http.MethodGet:
		request.Header.Set("Accept", "text/event-stream")
	}
	if c.Session == "" {
		return
	}
	request.Header.Set("Mcp-Session-Id", c.Session)
	if c.Version >= V20250618 { // revisions are dates
		request.Header.Set("Mcp-Protocol-Version", c.Version)
	}
}

func override(request *http.Request, fields http.Header) {
	for name, values := range fields {
		switch {
		case http.CanonicalHeaderKey(name) == "Host":
			request.Host = values[0]
		case len(values) == 0:
			request.Header.Del(name)
		default:
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
}

func envelope(id, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0",` + id + `"method":` + Quote(method) + params + `}`
}
