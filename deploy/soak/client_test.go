//go:build soak

package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// client sends one request after the other, and opens a new session now and then.
type client struct {
	http     *http.Client
	endpoint string
	session  string
	id       int
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"soak","version":"1"}}}`

func (c *client) send(ctx context.Context, method, body string, header map[string]string) (*http.Response, error) {
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.endpoint, reader)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	return c.http.Do(r)
}

// open ends the session there is and opens one.
func (c *client) open() error {
	if c.session != "" {
		if resp, err := c.send(context.Background(), http.MethodDelete, "", nil); err == nil {
			_ = resp.Body.Close()
		}
		c.session = ""
	}
	resp, err := c.send(context.Background(), http.MethodPost, initialize, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if c.session = resp.Header.Get("Mcp-Session-Id"); c.session == "" {
		return fmt.Errorf("initialize: %s", resp.Status)
	}
	return nil
}

// stand holds a standing stream for a moment.
func (c *client) stand() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if resp, err := c.send(ctx, http.MethodGet, "", map[string]string{"Accept": "text/event-stream"}); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// call calls a tool and answers what it is asked, unless the tool is one that nobody answers. It gives the response.
func (c *client) call(ctx context.Context, tool string) (string, error) {
	c.id++
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"progressToken":%d}}}`, c.id, tool, c.id)
	resp, err := c.send(ctx, http.MethodPost, body, nil)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		text, err := io.ReadAll(resp.Body)
		return string(text), err
	}
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return "", err
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if data = strings.TrimSpace(data); !ok || data == "" {
			continue // a comment, an id, or the empty event that a stream may begin with
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			return "", err
		}
		switch {
		case m.Method == "":
			return data, nil
		case m.ID != nil && tool != "silent":
			if err := c.answer(m.ID); err != nil {
				return "", err
			}
		}
	}
}

func (c *client) answer(ask json.RawMessage) error {
	resp, err := c.send(context.Background(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{"port":1}}}`, ask), nil)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// cancelled calls a tool that hangs and cancels the call.
func (c *client) cancelled() {
	done := make(chan struct{})
	id := c.id + 1
	go func() {
		defer close(done)
		_, _ = c.call(context.Background(), "hang")
	}()
	for waiting := true; waiting; { // the call may not have arrived yet
		resp, err := c.send(context.Background(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id), nil)
		if err == nil {
			_ = resp.Body.Close()
		}
		select {
		case <-done:
			waiting = false
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// dropped calls a tool and goes away.
func (c *client) dropped(tool string) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
	defer cancel()
	_, _ = c.call(ctx, tool)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"soak","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

// modern calls a tool as a modern client does, and sends it again with an answer when it has to.
func (c *client) modern(tool string) (string, error) {
	more := ""
	for {
		c.id++
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{},%s%s}}`, c.id, tool, modernMeta, more)
		plain := client{http: c.http, endpoint: c.endpoint}
		resp, err := plain.send(context.Background(), http.MethodPost, body, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool})
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			return "", err
		}
		var m struct {
			Result struct{ ResultType, RequestState string }
		}
		if err := json.Unmarshal(text, &m); err != nil || m.Result.ResultType != "input_required" || more != "" {
			return string(text), err
		}
		more = fmt.Sprintf(`,"inputResponses":{"q":{"action":"accept","content":{"port":1}}},"requestState":%q`, m.Result.RequestState)
	}
}
