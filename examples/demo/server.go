package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const modernRevision = "2026-07-28"

// server is a modern MCP server that looks after releases. Between two requests it remembers nothing.
type server struct {
	transcript *transcript
	key        []byte // seals its requestState
	url        string
	door       *door
	http       *http.Server
}

// startServer serves on a free port of this machine.
func startServer(t *transcript) (*server, error) {
	s := &server{transcript: t, key: make([]byte, 32)}
	_, _ = rand.Read(s.key) // never fails
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.url = "http://" + listener.Addr().String() + "/mcp"
	sdk := s.sdk()
	s.door = &door{transcript: t, next: mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return sdk },
		&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true},
	)}
	s.http = &http.Server{Handler: s.door, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.check(false, "the server serves: %v", err)
		}
	}()
	return s, nil
}

func (s *server) stop() { _ = s.http.Close() }

// sdk is the server as the official SDK has it.
func (s *server) sdk() *mcp.Server {
	m := mcp.NewServer(&mcp.Implementation{Name: "releases", Version: "1.0.0"}, &mcp.ServerOptions{
		Capabilities:              &mcp.ServerCapabilities{},
		SupportedProtocolVersions: []string{modernRevision},
	})
	mcp.AddTool(m, &mcp.Tool{Name: "status", Description: "tells what runs"}, s.status)
	mcp.AddTool(m, &mcp.Tool{Name: "release", Description: "releases a version; asks for a confirmation"}, s.release)
	mcp.AddTool(m, &mcp.Tool{Name: "create_service", Description: "asks for a name, then for a port"}, s.createService)
	mcp.AddTool(m, &mcp.Tool{Name: "interview", Description: "never stops asking"}, s.interview)
	return m
}

func (s *server) status(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	return s.complete("2.3 runs on production")
}

type releaseInput struct {
	Version     string `json:"version"`
	Environment string `json:"environment"`
	DryRun      bool   `json:"dry_run,omitempty"`
}

// release wants a confirmation, and the environment once more, like one types a name to delete something.
func (s *server) release(_ context.Context, req *mcp.CallToolRequest, in releaseInput) (*mcp.CallToolResult, any, error) {
	answer := answerTo(req, "confirm")
	switch {
	case answer == nil:
		return s.ask("confirm", fmt.Sprintf("Release %s? Repeat the environment to confirm.", in.Version), "", map[string]any{
			"confirm":     map[string]any{"type": "boolean"},
			"environment": map[string]any{"type": "string"},
		})
	case answer.Action != "accept" || answer.Content["confirm"] != true || answer.Content["environment"] != in.Environment:
		return s.complete("nothing was released")
	case in.DryRun:
		return s.complete("a dry run: %s would go to %s", in.Version, in.Environment)
	}
	return s.complete("%s is on %s", in.Version, in.Environment)
}

// createService asks twice. What it has learnt so far travels in requestState.
func (s *server) createService(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
	if req.Params.RequestState == "" {
		return s.ask("name", "What is the service called?", s.seal(draft{Step: "name"}), map[string]any{
			"name": map[string]any{"type": "string", "minLength": 1},
		})
	}
	known, err := s.open(req.Params.RequestState)
	if err != nil {
		return nil, nil, err
	}
	answer := answerTo(req, known.Step)
	if answer == nil || answer.Action != "accept" {
		return s.complete("no service was created")
	}
	if known.Step == "name" {
		name, _ := answer.Content["name"].(string)
		return s.ask("port", fmt.Sprintf("Which port does %s listen on?", name), s.seal(draft{Step: "port", Name: name}), map[string]any{
			"port": map[string]any{"type": "integer", "minimum": 1, "maximum": 65535},
		})
	}
	return s.complete("created %s on port %v", known.Name, answer.Content["port"])
}

// interview is what limits are for.
func (s *server) interview(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
	return s.ask("more", "And what else?", "", map[string]any{"more": map[string]any{"type": "string"}})
}
