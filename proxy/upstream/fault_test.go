package upstream

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	page    = "<html>secret page</html>"
	head    = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
)

func chunked(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

// However a server fails, there is one error, of the right reason, short, without the server's own text, and a call is
// never sent twice once it may have arrived.
func TestEveryFault(t *testing.T) {
	note := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`
	tests := []struct {
		name   string
		script func(http.ResponseWriter, *http.Request, seen)
		raw    func(net.Conn, seen)
		reason Reason
		status int
		says   string // part of the message
		data   string
	}{
		{name: "closed before headers", raw: func(net.Conn, seen) {}, reason: Cut},
		{name: "closed in headers", raw: func(c net.Conn, q seen) { write(c, q, "HTTP/1.1 200 OK\r\nContent-Ty") }, reason: Cut},
		{name: "closed after headers", raw: func(c net.Conn, q seen) { write(c, q, head+"Content-Length: 100\r\n\r\n") }, reason: Cut, status: 200},
		{name: "closed in a body", raw: func(c net.Conn, q seen) { write(c, q, head+"Content-Length: 100\r\n\r\n{\"jsonrpc\"") }, reason: Cut, status: 200},
		{name: "closed in a chunked body", raw: func(c net.Conn, q seen) {
			write(c, q, head+"Transfer-Encoding: chunked\r\n\r\n"+chunked(`{"jsonrpc":"2.0","id":`))
		}, reason: Cut, status: 200},
		{name: "closed after headers of a stream", raw: func(c net.Conn, q seen) { write(c, q, sseHead) }, reason: Cut, status: 200},
		{name: "closed between events", raw: func(c net.Conn, q seen) { write(c, q, sseHead+chunked("data: "+note+"\n\n")) }, reason: Cut, status: 200},
		{name: "closed in an event", raw: func(c net.Conn, q seen) { write(c, q, sseHead+chunked("data: {\"jsonrpc\"")) }, reason: Cut, status: 200},
		{name: "ended between events", script: say(200, "text/event-stream", "data: "+note+"\n\n"), reason: Cut, status: 200, says: "without a response"},
		{name: "ended in an event", script: say(200, "text/event-stream", "data: "+result(done)+"\n"), reason: Cut, status: 200},
		{name: "no HTTP", raw: func(c net.Conn, q seen) { write(c, q, "220 mail.example ESMTP\r\n") }, reason: Cut},

		{name: "silent before headers", raw: func(c net.Conn, q seen) { hold(c) }, reason: Timeout, says: "silent for 300ms"},
		{name: "silent after headers", raw: func(c net.Conn, q seen) { write(c, q, head+"Content-Length: 100\r\n\r\n"); hold(c) }, reason: Timeout, status: 200},
		{name: "silent in a body", raw: func(c net.Conn, q seen) { write(c, q, head+"Content-Length: 100\r\n\r\n{\"jsonrpc\""); hold(c) }, reason: Timeout, status: 200},
		{name: "silent at the start of a stream", raw: func(c net.Conn, q seen) { write(c, q, sseHead); hold(c) }, reason: Timeout, status: 200},
		{name: "silent between events", raw: func(c net.Conn, q seen) { write(c, q, sseHead+chunked("data: "+note+"\n\n")); hold(c) }, reason: Timeout, status: 200},
		{name: "silent in an event", raw: func(c net.Conn, q seen) { write(c, q, sseHead+chunked("data: {\"jsonrpc\"")); hold(c) }, reason: Timeout, status: 200},

		{name: "page 502", script: say(502, "text/html", page), reason: Status, status: 502, says: "502 (Bad Gateway)", data: `{"status":502}`},
		{name: "page 404", script: say(404, "text/html", page), reason: Status, status: 404, says: "404"},
		{name: "page 200", script: say(200, "text/html; charset=utf-8", page), reason: ContentType, status: 200, says: "text/html"},
		{name: "busy", script: say(503, "application/json", `{"error":"secret page"}`, "Retry-After", "2"), reason: Status, status: 503, says: "503", data: `{"status":503,"retryAfter":"2"}`},
		{name: "slow down", script: say(429, "text/plain", "secret page", "Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT"), reason: Status, status: 429, data: `{"status":429,"retryAfter":"Wed, 21 Oct 2026 07:28:00 GMT"}`},
		{name: "500 stream", script: say(500, "text/event-stream", ": nothing\n\n"), reason: Status, status: 500},
		{name: "500 with a result", script: say(500, "application/json", result(done)), reason: Status, status: 500},
		{name: "400 batch", script: say(400, "application/json", "["+rpcError(`{"code":1,"message":"secret page"}`)+"]"), reason: Status, status: 400},
		{name: "empty", script: say(200, "application/json", ""), reason: Empty, status: 200},
		{name: "empty without a type", script: say(200, "", ""), reason: Empty, status: 200},
		{name: "202", script: say(202, "", ""), reason: Empty, status: 202},
		{name: "204", script: say(204, "", ""), reason: Empty, status: 204},
		{name: "cut JSON", script: say(200, "application/json", `{"jsonrpc":"2.0","id":ID,"result":`), reason: Malformed, status: 200, says: "incomplete"},
		{name: "neither", script: say(200, "application/json", `{"jsonrpc":"2.0","id":ID}`), reason: Malformed, status: 200},
		{name: "both", script: say(200, "application/json", `{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":""}}`), reason: Malformed, status: 200},
		{name: "batch", script: say(200, "application/json", "["+result(done)+"]"), reason: Malformed, status: 200},
		{name: "notification", script: say(200, "application/json", note), reason: Malformed, status: 200},
		{name: "request", script: say(200, "application/json", `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`), reason: Malformed, status: 200},
		{name: "invalid UTF-8", script: say(200, "application/json", "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"x\":\"\xff\"}}"), reason: Malformed, status: 200, says: "UTF-8"},
		{name: "id twice", script: say(200, "application/json", `{"jsonrpc":"2.0","id":ID,"id":ID,"result":{}}`), reason: Malformed, status: 200, says: "duplicate"},
		{name: "malformed event", script: say(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":}\n\n"), reason: Malformed, status: 200},
		{name: "error without code", script: say(200, "application/json", rpcError(`{"message":"secret page"}`)), reason: Malformed, status: 200},
		{name: "wrong id", script: say(200, "application/json", `{"jsonrpc":"2.0","id":-1,"result":{}}`), reason: WrongID, status: 200},
		{name: "id as a string", script: say(200, "application/json", `{"jsonrpc":"2.0","id":"ID","result":{}}`), reason: WrongID, status: 200},
		{name: "wrong id on a stream", script: say(200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":{}}\n\n"), reason: WrongID, status: 200},
		{name: "error for another id", script: say(200, "application/json", `{"jsonrpc":"2.0","id":-1,"error":{"code":1,"message":"secret page"}}`), reason: WrongID, status: 200},
		{name: "null id result", script: say(200, "application/json", `{"jsonrpc":"2.0","id":null,"result":{}}`), reason: Malformed, status: 200},

		{name: "br", script: say(200, "application/json", "\x8b\x02\x80", "Content-Encoding", "br"), reason: Encoding, status: 200, says: "br"},
		{name: "gzip twice", script: say(200, "application/json", "x", "Content-Encoding", "gzip, gzip"), reason: Encoding, status: 200, says: "gzip, gzip"},
		{name: "no gzip", script: say(200, "application/json", result(done), "Content-Encoding", "gzip"), reason: Malformed, status: 200},
		{name: "too large by its length", script: say(200, "application/json", result(`{"content":"`+strings.Repeat("x", 4096)+`"}`)), reason: TooLarge, status: 200, says: "max_message_bytes"},
		{name: "too large in chunks", script: func(w http.ResponseWriter, r *http.Request, q seen) {
			flushed(w)
			say(200, "application/json", result(`{"content":"`+strings.Repeat("x", 4096)+`"}`))(w, r, q)
		}, reason: TooLarge, status: 200, says: "max_message_bytes"},
		{name: "too large on a stream", script: say(200, "text/event-stream", "data: "+result(`{"content":"`+strings.Repeat("x", 4096)+`"}`)+"\n\n"), reason: TooLarge, status: 200, says: "max_message_bytes"},
		{name: "too large in gzip", script: zipped(200, result(`{"content":"`+strings.Repeat("x", 4096)+`"}`)), reason: TooLarge, status: 200, says: "max_message_bytes"},

		{name: "401", script: say(401, "text/plain", "secret page", "Www-Authenticate", `Bearer realm="up"`), reason: Unauthorized, status: 401, says: "401"},
		{name: "403", script: say(403, "application/json", rpcError(`{"code":-1,"message":"secret page"}`)), reason: Unauthorized, status: 403, says: "403"},
		{name: "302", script: say(302, "", "", "Location", "/there"), reason: Redirect, status: 302, says: "/there"},
		{name: "304", script: say(304, "", ""), reason: Status, status: 304, says: "304"},
		{name: "unknown resultType", script: say(200, "application/json", result(`{"resultType":"toolResult\u0007","content":[]}`)), reason: Protocol, status: 200, says: "toolResult "},
		{name: "resultType 7", script: say(200, "application/json", result(`{"resultType":7}`)), reason: Protocol, status: 200, says: "7"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := (*stub)(nil)
			if tc.raw != nil {
				s = raw(t, tc.raw)
			} else {
				s = serve(t, tc.script)
			}
			patience := 5 * time.Second
			if tc.reason == Timeout {
				patience = 300 * time.Millisecond
			}
			u := to(t, s, func(o *Options) { o.MaxMessageBytes, o.CallTimeout = 2048, patience })
			got, _, err := try(t, u, toolCall(t), Retry{})
			if err == nil || err.Reason != tc.reason || err.Status != tc.status {
				t.Fatalf("got %+v (%v), replies %q; want reason %d, status %d", err, err.Unwrap(), got.replies, tc.reason, tc.status)
			}
			if !strings.HasPrefix(err.Message, "tools/call: ") || !strings.Contains(err.Message, tc.says) || strings.Contains(err.Message, "secret") || len(err.Message) > 250 {
				t.Errorf("message %q, want one with %q", err.Message, tc.says)
			}
			if tc.data != "" && string(err.Data) != tc.data {
				t.Errorf("data %s, want %s", err.Data, tc.data)
			}
			if err.Code != -32603 || !err.Sent || len(got.replies) != 0 {
				t.Errorf("code %d, sent %v, replies %q", err.Code, err.Sent, got.replies)
			}
			if n := len(s.requests()); n != 1 {
				t.Errorf("%d requests, want 1: a call is never sent twice", n)
			}
		})
	}
}

func flushed(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	flush(w)
}

// zipped is a script that compresses its answer, asked or not.
func zipped(status int, body string) func(http.ResponseWriter, *http.Request, seen) {
	return func(w http.ResponseWriter, r *http.Request, q seen) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, fill(body, q))
		_ = z.Close()
		say(status, "application/json", b.String(), "Content-Encoding", "gzip")(w, r, seen{id: "ID", token: "TOKEN"})
	}
}

// Nothing reached the server: the request may go again, and the error says so.
func TestRefusedConnection(t *testing.T) {
	s := serve(t, say(200, "application/json", result(done)))
	u := to(t, s)
	s.Close()
	_, _, err := try(t, u, toolCall(t), Retry{})
	if err == nil || err.Reason != Dial || err.Sent || !strings.Contains(err.Message, "connection refused") {
		t.Fatalf("got %+v", err)
	}
	if strings.Contains(err.Message, "127.0.0.1") || !strings.Contains(err.Unwrap().Error(), "127.0.0.1") {
		t.Errorf("the address belongs into the log only: %q, %v", err.Message, err.Unwrap())
	}
}

// A challenge is the client's to answer.
func TestChallengeIsKept(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		w.Header().Add("Www-Authenticate", `Bearer realm="up"`)
		w.Header().Add("Www-Authenticate", `Basic`)
		w.WriteHeader(401)
	})
	_, _, err := try(t, to(t, s), toolCall(t), Retry{})
	if err == nil || len(err.Challenge) != 2 || err.Challenge[0] != `Bearer realm="up"` {
		t.Errorf("got %+v", err)
	}
}

// What a server compresses although it was not asked to is read.
func TestGzipIsRead(t *testing.T) {
	s := serve(t, zipped(200, result(done)))
	got, res, err := try(t, to(t, s), toolCall(t), Retry{})
	if err != nil || res.Outcome != Complete || len(got.replies) != 1 || !strings.Contains(got.replies[0], `"done"`) {
		t.Fatalf("%+v %+v %q", err, res, got.replies)
	}
	if ae := s.requests()[0].header.Get("Accept-Encoding"); ae != "identity" {
		t.Errorf("Accept-Encoding %q", ae)
	}
}
