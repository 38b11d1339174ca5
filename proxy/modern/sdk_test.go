package modern_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// sdk connects the official client, which must choose the modern dialect. answer is what
// a person says to a form.
func (w *world) sdk(answer func(*mcp.ElicitParams) *mcp.ElicitResult, o mcp.ClientOptions) *mcp.ClientSession {
	w.t.Helper()
	o.Capabilities = &mcp.ClientCapabilities{}
	o.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) { return answer(r.Params), nil }
	transport := &http.Transport{}
	w.t.Cleanup(transport.CloseIdleConnections)
	ctx, cancel := context.WithTimeout(w.t.Context(), mcptest.Patience)
	defer cancel()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "sdk", Version: "1"}, &o).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: w.endpoint, HTTPClient: &http.Client{Transport: transport}}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Close() })
	if v := s.InitializeResult().ProtocolVersion; v != mcptest.ModernVersion {
		w.t.Fatalf("the client chose %s", v)
	}
	return s
}

func accept(*mcp.ElicitParams) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"port": 1}}
}

func textOf(r *mcp.CallToolResult) string {
	if r == nil || len(r.Content) == 0 {
		return ""
	}
	text, _ := r.Content[0].(*mcp.TextContent)
	return text.Text
}

func TestOfficialClient(t *testing.T) {
	call := func(s *mcp.ClientSession, ctx context.Context) (*mcp.CallToolResult, error) {
		return s.CallTool(ctx, &mcp.CallToolParams{Name: "release", Arguments: map[string]any{"x": 1}})
	}
	t.Run("several rounds, a part of them by rule", func(t *testing.T) {
		w := newWorld(t, ruled(t, rootsRule))
		w.upstream.Handle("tools/call", mcptest.InTurn(
			mcptest.Reply{Result: mcptest.InputRequired(`"1"`, port, mcptest.Roots("roots"))},
			mcptest.Reply{Result: mcptest.InputRequired(`"2"`, mcptest.Roots("roots"))},
			mcptest.Reply{Result: mcptest.InputRequired("", port)},
			mcptest.Reply{Result: mcptest.Text("done")},
		))
		var questions []string
		s := w.sdk(func(p *mcp.ElicitParams) *mcp.ElicitResult {
			questions = append(questions, p.Message)
			return accept(p)
		}, mcp.ClientOptions{})
		r, err := call(s, t.Context())
		if err != nil || textOf(r) != "done" || len(questions) != 2 {
			t.Errorf("%v, %q after %q", err, textOf(r), questions)
		}
		first := w.upstream.Await("tools/call", 2)
		if string(first.Response("roots")) != rootsAnswer || !strings.Contains(string(first.Response("port")), `"port":1`) || string(first.State()) != `"1"` {
			t.Errorf("the first retry was %s", first.Body)
		}
		if last := w.upstream.Await("tools/call", 4); last.State() != nil {
			t.Errorf("the last retry has the state %s", last.State())
		}
	})
	t.Run("a limit trips", func(t *testing.T) {
		w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxRounds = 4 }))
		w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.InputRequired(`"s"`, port)}))
		r, err := call(w.sdk(accept, mcp.ClientOptions{}), t.Context())
		if err != nil || !r.IsError || !strings.Contains(textOf(r), "max_rounds") || len(w.upstream.Attempts("tools/call")) != 4 {
			t.Errorf("%v, %q after %d attempts", err, textOf(r), len(w.upstream.Attempts("tools/call")))
		}
	})
	t.Run("cancellation", func(t *testing.T) {
		w := newWorld(t)
		w.upstream.Handle("tools/call", func(*mcptest.Attempt) mcptest.Reply {
			return mcptest.Reply{Write: func(s *mcptest.Writer) { s.OpenStream(); s.Hold() }}
		})
		s := w.sdk(accept, mcp.ClientOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			w.upstream.Await("tools/call", 1)
			cancel()
		}()
		if _, err := call(s, ctx); err == nil {
			t.Error("a cancelled call succeeds")
		}
		w.upstream.Await("tools/call", 1).AwaitCancelled(t)
	})
	t.Run("subscriptions", func(t *testing.T) {
		w := newWorld(t)
		changed, updated := make(chan struct{}, 9), make(chan string, 9)
		s := w.sdk(accept, mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
			ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		})
		w.upstream.AwaitListens(1)[0].Notify("notifications/tools/list_changed", "")
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "file:///x"}); err != nil {
			t.Fatal(err)
		}
		for _, l := range w.upstream.AwaitListens(2) {
			if mcptest.Member(l.Filter, "resourceSubscriptions") != nil {
				l.Notify("notifications/resources/updated", `"uri":"file:///x"`)
			}
		}
		for range 2 {
			select {
			case <-changed:
			case uri := <-updated:
				if uri != "file:///x" {
					t.Errorf("%s was updated", uri)
				}
			case <-time.After(mcptest.Patience):
				t.Fatal("the client was not told")
			}
		}
		if err := s.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "file:///x"}); err != nil {
			t.Fatal(err)
		}
		w.upstream.AwaitListens(1)
	})
	t.Run("lists and progress", func(t *testing.T) {
		w := newWorld(t)
		w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
			return mcptest.Reply{Before: []string{progress(a, "1"), progress(a, "2")}, Result: mcptest.Text("done")}
		})
		told := make(chan float64, 9)
		s := w.sdk(accept, mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { told <- r.Params.Progress }})
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 1 {
			t.Errorf("%v, %+v", err, list)
		}
		p := &mcp.CallToolParams{Name: "release"}
		p.SetProgressToken("t")
		if r, err := s.CallTool(t.Context(), p); err != nil || textOf(r) != "done" {
			t.Errorf("%v, %q", err, textOf(r))
		}
		for want := 1.0; want <= 2; want++ {
			select {
			case got := <-told:
				if got != want {
					t.Errorf("progress %v, want %v", got, want)
				}
			case <-time.After(mcptest.Patience):
				t.Fatal("no progress")
			}
		}
	})
}
