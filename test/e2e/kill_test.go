package e2e

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// stage is a state of an exchange in which its upstream dies.
type stage struct {
	name   string
	before bool // the upstream is down before the call
	// script answers the call, and tells reached when the state is.
	script func(reached func()) mcptest.Script
	// client goes on with the call until the state is reached; nil when that takes nothing.
	client func(*testing.T, *mcptest.Client, *mcptest.Stream)
	broken bool // the reply had begun to go down: it breaks off
}

// held opens a reply with some bytes and holds it.
func held(reached func(), contentType string, pieces ...string) mcptest.Reply {
	return mcptest.Reply{Write: func(w *mcptest.Writer) {
		if contentType != "" {
			w.Open(http.StatusOK, contentType)
		}
		for _, p := range pieces {
			w.Bytes(p)
		}
		reached()
		w.Hold()
	}}
}

func always(contentType string, pieces ...string) func(func()) mcptest.Script {
	return func(reached func()) mcptest.Script {
		return func(*mcptest.Attempt) mcptest.Reply { return held(reached, contentType, pieces...) }
	}
}

const progress = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n"

func stages() []stage {
	json, events := "application/json", "text/event-stream"
	return []stage{
		{name: "dialling", before: true},
		{name: "waiting for the first byte", script: always("")},
		{name: "headers of JSON received", script: always(json)},
		{name: "in the middle of a JSON body", script: always(json, `{"jsonrpc":"2.0","id":1,"result":{"content":[`)},
		{name: "headers of a stream received", script: always(events)},
		{name: "in the middle of a stream", script: always(events, progress, ": alive\n\n")},
		{name: "in the middle of an event", script: always(events, progress, `data: {"jsonrpc":"2.0","id":1,"re`)},
		{name: "in the middle of a long body", broken: true, script: func(reached func()) mcptest.Script {
			return func(a *mcptest.Attempt) mcptest.Reply {
				return mcptest.Reply{Write: func(w *mcptest.Writer) {
					body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"content":[],"x":"%s"}}`, a.ID, strings.Repeat("x", 5<<18))
					w.Header().Set("Content-Length", fmt.Sprint(len(body)))
					w.Open(http.StatusOK, json)
					w.Bytes(body[:9<<17])
					reached()
					w.Hold()
				}}
			}
		}, client: func(t *testing.T, _ *mcptest.Client, s *mcptest.Stream) {
			mcptest.Eventually(t, "a part of the body is down", func() bool { return len(s.Raw()) > 0 })
		}},
		{name: "during a state-only pause", script: func(reached func()) mcptest.Script {
			n := 0 // attempts follow one another
			return func(*mcptest.Attempt) mcptest.Reply {
				if n++; n == 5 { // the next pause is 800 ms
					defer reached()
				}
				return mcptest.Reply{Result: mcptest.InputRequired(`"s"`)}
			}
		}},
		{name: "while asks are open", script: func(reached func()) mcptest.Script {
			return mcptest.Asking(`"s"`, mcptest.Roots("a"), mcptest.Roots("b"))
		}, client: func(t *testing.T, c *mcptest.Client, s *mcptest.Stream) {
			s.Ask("roots/list")
			s.Ask("roots/list")
		}},
		{name: "during the retry", script: func(reached func()) mcptest.Script {
			return func(a *mcptest.Attempt) mcptest.Reply {
				if a.IsRetry() {
					return held(reached, json, `{"jsonrpc":`)
				}
				return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, mcptest.Roots("a"))}
			}
		}, client: func(t *testing.T, c *mcptest.Client, s *mcptest.Stream) {
			c.Answer(s.Ask("roots/list"), rootsAnswer)
		}},
	}
}

// Whenever the upstream dies, the client gets one error with its id, and the daemon goes
// on as if nothing had been.
func TestTheUpstreamDies(t *testing.T) {
	u, d := start(t, "", "")
	for _, s := range stages() {
		t.Run(s.name, func(t *testing.T) {
			client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
			before := d.Metrics()
			reached := make(chan struct{}, 1)
			serve(u, s, func() { reached <- struct{}{} })
			if s.before {
				u.Refuse()
			}
			reply := client.CallTool("77", "fragile", `{}`)
			if s.client != nil {
				s.client(t, client, reply)
			}
			switch {
			case s.before:
			case s.name == "while asks are open":
				u.Refuse()
				answerAll(t, client, reply)
			default:
				<-reached
				u.Refuse()
			}
			verdict(t, s, reply)
			u.Accept()
			awaitServed(t, client)
			awaitQuiet(d)
			after := d.Metrics()
			for _, outcome := range []string{"limit", "input_failed", "protocol", "cancelled"} {
				if n := after.Sum("mrtr_proxy_requests_total", "outcome", outcome) - before.Sum("mrtr_proxy_requests_total", "outcome", outcome); n != 0 {
					t.Errorf("%v counted as %s", n, outcome)
				}
			}
			if n := after.Sum("mrtr_proxy_requests_total", "outcome", "upstream_failed", "method", "tools/call") - before.Sum("mrtr_proxy_requests_total", "outcome", "upstream_failed", "method", "tools/call"); n < 1 {
				t.Errorf("%v counted as upstream_failed", n)
			}
		})
	}
}

// serve has the tool "fragile" answered as the stage says, and "plain" always.
func serve(u *mcptest.Upstream, s stage, reached func()) {
	var script mcptest.Script
	if s.script != nil {
		script = s.script(reached)
	}
	u.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		if a.Name() == "plain" || script == nil {
			return mcptest.Reply{Result: mcptest.Text("plain")}
		}
		return script(a)
	})
}

// answerAll answers the questions of a reply that have been asked.
func answerAll(t *testing.T, c *mcptest.Client, reply *mcptest.Stream) {
	t.Helper()
	for _, e := range reply.Events() {
		if id := mcptest.Member([]byte(e.Data), "id"); id != nil {
			if status := c.Answer(&mcptest.Message{ID: id}, rootsAnswer); status != http.StatusAccepted {
				t.Errorf("answer: HTTP %d", status)
			}
		}
	}
}

func verdict(t *testing.T, s stage, reply *mcptest.Stream) {
	t.Helper()
	if s.broken {
		if err := reply.End(); err == nil || strings.Count(reply.Raw(), `"jsonrpc"`) != 1 {
			t.Errorf("end %v, %d bytes", err, len(reply.Raw()))
		}
		return
	}
	m := theOneResponse(t, reply, "77")
	if m.Error == nil || m.Code() == 0 || !strings.HasPrefix(m.ErrorText(), "tools/call: upstream ") {
		t.Errorf("%s", m.Raw)
	}
}

// An upstream that dies while the request is being sent to it.
func TestTheUpstreamDiesWhileItIsSentTheRequest(t *testing.T) {
	u, d := start(t, "", "")
	client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
	address := strings.TrimSuffix(strings.TrimPrefix(u.URL(), "http://"), "/mcp")
	u.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.Text("plain")}))
	u.Refuse()
	deaf, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	met := make(chan error, 1)
	go func() { // reads the beginning, and breaks off
		conn, err := deaf.Accept()
		if err == nil {
			_, err = conn.Read(make([]byte, 1000))
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
		}
		met <- err
	}()
	reply := client.CallTool("77", "fragile", `{"x":"`+strings.Repeat("x", 3<<20)+`"}`)
	if err := <-met; err != nil {
		t.Fatal(err)
	}
	_ = deaf.Close()
	if m := theOneResponse(t, reply, "77"); m.Error == nil {
		t.Errorf("%.300s", m.Raw)
	}
	u.Accept()
	awaitServed(t, client)
	awaitQuiet(d)
}
