package peer

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// naive is the bridge one would write in an afternoon: the official SDK's server
// towards legacy clients, its client towards the modern server. The SDK's client does
// the rounds, and asks the legacy session that the call came from.
type naive struct {
	upstream *mcp.ClientSession

	mu    sync.Mutex
	next  int
	calls map[string]call // by progress token
}

// call is a legacy client's call that wants to hear of its progress.
type call struct {
	ctx     context.Context // the request's: it leads notifications to its stream
	request *mcp.CallToolRequest
}

// caller is the key of the legacy session in a call's context.
type caller struct{}

// Naive connects to a modern server and makes the bridge's handler.
func Naive(ctx context.Context, endpoint string) (http.Handler, error) {
	n := &naive{calls: map[string]call{}}
	client := mcp.NewClient(&mcp.Implementation{Name: "naive-bridge", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler:          n.ask,
		ProgressNotificationHandler: n.progress,
	})
	var err error
	n.upstream, err = client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:             endpoint,
		HTTPClient:           &http.Client{Transport: transport()},
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, err
	}
	hello := n.upstream.InitializeResult()
	server := mcp.NewServer(hello.ServerInfo, nil)
	tools, err := n.upstream.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, t := range tools.Tools {
		server.AddTool(t, n.call)
	}
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil), nil
}

func (n *naive) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	p := &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments}
	if r.Params.GetProgressToken() != nil {
		token := n.enter(call{ctx, r})
		defer n.leave(token)
		p.SetProgressToken(token)
	}
	return n.upstream.CallTool(context.WithValue(ctx, caller{}, r.Session), p)
}

func (n *naive) ask(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	session, ok := ctx.Value(caller{}).(*mcp.ServerSession)
	if !ok {
		return nil, fmt.Errorf("a question that belongs to no call")
	}
	return session.Elicit(ctx, r.Params)
}

func (n *naive) progress(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
	token, _ := r.Params.ProgressToken.(string)
	n.mu.Lock()
	c, ok := n.calls[token]
	n.mu.Unlock()
	if !ok {
		return
	}
	p := *r.Params
	p.ProgressToken = c.request.Params.GetProgressToken()
	_ = c.request.Session.NotifyProgress(c.ctx, &p) // a client that is gone misses nothing
}

func (n *naive) enter(c call) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.next++
	token := fmt.Sprint("call-", n.next)
	n.calls[token] = c
	return token
}

func (n *naive) leave(token string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.calls, token)
}
