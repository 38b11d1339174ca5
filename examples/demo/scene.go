package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// scene is one call of the client, and what must come of it.
type scene struct {
	title, about string

	tool   string
	args   map[string]any
	person []*mcp.ElicitResult // what the person answers, in order

	text     string // of the result
	failure  string // why there is none, raw, in the result's _meta; "" for a call that succeeds
	attempts int    // how often the server must see the call
	answers  string // the raw inputResponses of the last attempt, "" for none
	details  bool   // show what the proxy put to the call
}

// stage is where scenes are played.
type stage struct {
	transcript *transcript
	server     *server
	client     *client
	audit      *auditReader
}

// withoutProxy shows what the proxy is for.
func withoutProxy(ctx context.Context, t *transcript, s *server) {
	t.scene("Without the proxy", "The two do not understand each other.")
	c, err := connect(ctx, t, theServer, s.url)
	if err == nil {
		_ = c.close()
	}
	t.check(err != nil, "the client cannot connect")
	s.door.take()
}

// converse plays all scenes in one session.
func converse(ctx context.Context, t *transcript, s *server, d *daemon) error {
	t.scene("The handshake", "The proxy answers it from what the server tells about itself. The session is the proxy's own.")
	c, err := connect(ctx, t, theProxy, d.endpoint)
	if err != nil {
		return err
	}
	about := c.session.InitializeResult()
	t.says(theProxy, theClient, "%q, revision %s, and a session id", about.ServerInfo.Name, about.ProtocolVersion)
	t.check(about.ProtocolVersion == legacyRevision && about.ServerInfo.Name == "releases", "the client sees a server of its own era")
	seen := s.door.take()
	t.check(len(seen) > 0 && seen[0].Method == methodDiscover && !slices.ContainsFunc(seen, isMalformed), "the server saw only modern requests")

	on := stage{transcript: t, server: s, client: c, audit: &auditReader{file: d.auditFile}}
	for i := range scenes {
		if err := ctx.Err(); err != nil {
			_ = c.close()
			return err
		}
		on.play(ctx, &scenes[i])
	}

	t.scene("The end", "The client ends its session. The server has none, and hears nothing of it.")
	t.says(theClient, theProxy, "DELETE, with the session id")
	t.check(c.close() == nil, "the session has ended")
	t.check(len(s.door.take()) == 0, "the server saw nothing")
	return nil
}

func isMalformed(r received) bool { return !r.isWellFormed() }

// play has the client make the call, and checks what each side has seen of it.
func (on *stage) play(ctx context.Context, sc *scene) {
	t := on.transcript
	t.scene(sc.title, sc.about)
	on.client.prepare(sc.person)
	result, text, err := on.client.call(ctx, sc.tool, sc.args)
	seen := on.server.door.take()
	attempts := calls(seen)
	if sc.details && len(attempts) > 0 {
		attempts[0].describe(t)
	}
	on.audit.show(t)
	if sc.failure == "" {
		t.check(err == nil && !result.IsError && text == sc.text, "the client has its result")
	} else {
		t.check(err == nil && failed(t, result, sc.failure), "the client is told why there is no result")
	}
	t.check(on.client.questions() == len(sc.person), "the person was asked %s", times(len(sc.person)))
	t.check(len(attempts) == sc.attempts && areDistinct(seen) && !slices.ContainsFunc(seen, isMalformed),
		"the server saw the call %s, always as a modern request", times(sc.attempts))
	if sc.answers != "" && len(attempts) > 0 {
		t.check(sameJSON(attempts[len(attempts)-1].answers(), sc.answers), "the last attempt brought the last answer and no other")
	}
}

// failed shows why a call failed, and tells whether that is as it must be.
func failed(t *transcript, result *mcp.CallToolResult, want string) bool {
	failure, err := json.Marshal(result.Meta["mrtr-proxy/failure"])
	t.note("_meta", "mrtr-proxy/failure: %s", failure)
	return err == nil && result.IsError && sameJSON(failure, want)
}

// sameJSON compares two values, whatever the order of their members.
func sameJSON(got []byte, want string) bool {
	var a, b any
	return json.Unmarshal(got, &a) == nil && json.Unmarshal([]byte(want), &b) == nil && reflect.DeepEqual(a, b)
}

// times is how often something happens, in words.
func times(n int) string {
	switch n {
	case 0:
		return "nothing"
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
