package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const legacyRevision = "2025-11-25"

// client is a legacy client, with a person before it who answers questions.
type client struct {
	transcript *transcript
	to         string // whom it talks to
	http       http.Transport
	session    *mcp.ClientSession

	mu    sync.Mutex
	plan  []*mcp.ElicitResult // what the person will answer
	asked int                 // questions since the last prepare
}

// connect opens a session.
func connect(ctx context.Context, t *transcript, to, endpoint string) (*client, error) {
	c := &client{transcript: t, to: to}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "demo-client", Version: "1.0.0"}, &mcp.ClientOptions{
		Capabilities:       &mcp.ClientCapabilities{},
		ElicitationHandler: c.answer, // declares elicitation
		// The SDK would answer an input_required on a legacy session too, which no client of that revision does.
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	transport := &mcp.StreamableClientTransport{
		Endpoint:             endpoint,
		HTTPClient:           &http.Client{Transport: &c.http},
		MaxRetries:           -1,
		DisableStandaloneSSE: true, // nothing here is told outside of a call
	}
	t.says(theClient, to, "initialize, revision %s, can be asked: forms", legacyRevision)
	session, err := sdk.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: legacyRevision})
	if err != nil {
		c.http.CloseIdleConnections()
		return nil, err
	}
	c.session = session
	return c, nil
}

// close ends the session.
func (c *client) close() error {
	defer c.http.CloseIdleConnections()
	return c.session.Close()
}

// prepare sets what the person answers from now on.
func (c *client) prepare(plan []*mcp.ElicitResult) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan, c.asked = plan, 0
}

// questions is how many have reached the person since prepare.
func (c *client) questions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// answer is what the client does with an elicitation/create request: it shows the form and sends back what the person says.
func (c *client) answer(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.transcript.says(theProxy, theClient, "elicitation/create: %q", q.Params.Message)
	c.asked++
	if c.asked > len(c.plan) {
		return nil, errors.New("nobody expected this question")
	}
	a := c.plan[c.asked-1]
	c.transcript.says(theClient, theProxy, "%s", textOf(a))
	return a, nil
}

// textOf is an answer in short.
func textOf(a *mcp.ElicitResult) string {
	if a.Content == nil {
		return a.Action
	}
	content, err := json.Marshal(a.Content)
	if err != nil {
		return err.Error()
	}
	return a.Action + " " + string(content)
}

// call calls a tool and gives what came back, with its text.
func (c *client) call(ctx context.Context, tool string, args map[string]any) (*mcp.CallToolResult, string, error) {
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, "", err
	}
	c.transcript.says(theClient, c.to, "tools/call %s %s", tool, raw)
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.transcript.says(c.to, theClient, "error: %v", err)
		return nil, "", err
	}
	var text strings.Builder
	for _, part := range result.Content {
		if t, ok := part.(*mcp.TextContent); ok {
			text.WriteString(t.Text)
		}
	}
	kind := "result"
	if result.IsError {
		kind = "result with isError"
	}
	c.transcript.says(c.to, theClient, "%s: %q", kind, text.String())
	return result, text.String(), nil
}
