// Command mcp-go-client is a client with mark3labs/mcp-go. It adds two numbers with one tool, and answers the question of
// another.
//
//	mcp-go-client URL [VERSION]
//
// With a VERSION it asks for that protocol revision, otherwise for the newest it knows.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// person answers every question with a name.
type person struct{}

func (person) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ada"},
	}}, nil
}

func main() {
	log.SetFlags(0)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := run(ctx, os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url string, versions []string) error {
	http, err := transport.NewStreamableHTTP(url)
	if err != nil {
		return err
	}
	options := []client.ClientOption{client.WithElicitationHandler(person{})}
	var start mcp.InitializeRequest
	start.Params.ClientInfo = mcp.Implementation{Name: "mcp-go-client", Version: "1.0.0"}
	for _, version := range versions {
		options = append(options, client.WithProtocolVersion(version))
		start.Params.ProtocolVersion = version
	}
	c := client.NewClient(http, options...)
	defer func() { _ = c.Close() }()
	if err := c.Start(ctx); err != nil {
		return err
	}
	if _, err := c.Initialize(ctx, start); err != nil {
		return err
	}
	if err := expect(ctx, c, "add", map[string]any{"a": 2, "b": 3}, "5"); err != nil {
		return err
	}
	return expect(ctx, c, "greet", map[string]any{}, "Hello, Ada")
}

// expect calls a tool and looks for a text in what it answers.
func expect(ctx context.Context, c *client.Client, tool string, args map[string]any, want string) error {
	var call mcp.CallToolRequest
	call.Params.Name, call.Params.Arguments = tool, args
	result, err := c.CallTool(ctx, call)
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if got := fmt.Sprintf("%+v", result.Content); !strings.Contains(got, want) {
		return fmt.Errorf("%s answers %s, without %q", tool, got, want)
	}
	fmt.Printf("%s: %s\n", tool, want)
	return nil
}
