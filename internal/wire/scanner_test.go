package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

func TestMessages(t *testing.T) {
	for _, c := range []struct {
		in             string
		client, server Reason
		kind           Kind
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 0, 0, Request},
		{`{"jsonrpc":"2.0","id":"","method":"ping","params":{}}`, 0, 0, Request},
		{`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping","params":{"_meta":null}}`, 0, 0, Request},
		{`{"jsonrpc":"\u0032.0","i\u0064":-1,"method":"ping"}`, 0, 0, Request},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 0, 0, Notification},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, 0, 0, Result},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, 0, NotAMessage, Result},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, 0, 0, ErrorResponse},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":1}}`, NotAMessage, 0, ErrorResponse},
		{`{"jsonrpc":"2.0","error":{"code":1}}`, NotAMessage, 0, ErrorResponse},
		{`{"jsonrpc":"2.0","id":1,"error":null}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"error":"no"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","result":{}}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":null,"result":{}}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{},"method":"x"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{},"params":{}}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":{"id":1},"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"method":null}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":[]}}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{"jsonrpc":2.0,"id":1,"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{"id":1,"method":"ping"}`, NotAMessage, NotAMessage, 0},
		{`{}`, NotAMessage, NotAMessage, 0},
		{`"ping"`, NotAMessage, NotAMessage, 0},
		{`12`, NotAMessage, NotAMessage, 0},
		{`[]`, Batch, Batch, 0},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, Batch, Batch, 0},
		{``, Truncated, Truncated, 0},
		{" \n", Truncated, Truncated, 0},
		{"\xef\xbb", Truncated, Truncated, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"pi`, Truncated, Truncated, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} x`, Syntax, Syntax, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping",}`, Syntax, Syntax, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","id":2}`, Duplicate, Duplicate, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":1,"\u0078":1}}`, Duplicate, Duplicate, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":1,"a":1}}}`, Duplicate, Duplicate, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{"_meta":{"a":1,"a":1}}}`, Duplicate, Duplicate, 0},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"a":1,"a":1}}}`, 0, 0, Request},
		{`{"jsonrpc":"2.0","id":1,"result":{"content":[{"a":1,"a":1}],"x":{"y":1,"y":2}}}`, 0, 0, Result},
		{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"\ud800":1,"\udbff":2,"\ufffd":3}}`, 0, 0, Request},
		{"\xff\xfe{\x00}\x00", UTF8, UTF8, 0},
		{"{\x00\"\x00", UTF8, UTF8, 0},
		{"\x00\x00\x00{", UTF8, UTF8, 0},
		{"\xef\xbb\xbf\xef\xbb\xbf{}", UTF8, UTF8, 0},
	} {
		for role, want := range map[Role]Reason{FromClient: c.client, FromServer: c.server} {
			s, err := fed(role, []byte(c.in))
			var got Reason
			if err != nil {
				got = err.Reason
			}
			if got != want || err == nil && s.Kind != c.kind {
				t.Errorf("role %d: %v, kind %d, want %v, kind %d: %s", role, err, s.Kind, want, c.kind, c.in)
			}
		}
	}
}

func TestDepthIsBounded(t *testing.T) {
	nested := func(n int) []byte {
		return []byte(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + "}}")
	}
	if _, err := fed(FromClient, nested(MaxDepth-2)); err != nil {
		t.Errorf("%v at the bound", err)
	}
	if _, err := fed(FromClient, nested(MaxDepth-1)); err == nil || err.Reason != Depth {
		t.Errorf("%v beyond the bound", err)
	}
}

// Members are those of their own place only: the same names elsewhere are nothing.
func TestMembersAtOtherDepthsAreNothing(t *testing.T) {
	s, err := fed(FromServer, []byte(`{"jsonrpc":"2.0","id":1,"result":{"x":{"resultType":"input_required","content":[],"_meta":{"a":1,"a":2}},"structuredContent2":{},"y":[{"requestState":"s"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	if s.ResultType.IsSet() || s.RequestState.IsSet() || s.Content.IsSet() || s.Settled || s.Ending != Unsaid || len(s.cuts) != 0 {
		t.Errorf("%+v", s.Found)
	}
}

func TestTheFirstErrorSticks(t *testing.T) {
	var s Scanner
	s.Init(FromClient, nil)
	first := s.Feed([]byte(`{"a" 1`))
	if again := s.Feed([]byte(`: "b"}`)); first == nil || !errors.Is(again, first) || !errors.Is(s.End(), first) || !errors.Is(s.Drain(io.Discard, nil), first) {
		t.Errorf("%v, then %v, %v", first, again, s.End())
	}
}

func TestErrorsSayWhere(t *testing.T) {
	_, err := fed(FromClient, []byte("\xef\xbb\xbf {\"a\": x}"), 2, 3)
	if err == nil || err.Offset != 10 || err.Error() != "invalid JSON at byte 10" || err.Code() != CodeParse {
		t.Errorf("%v", err)
	}
}

func TestSettledBeforeTheValueEnds(t *testing.T) {
	for _, name := range []string{"content", "structuredContent", "contents", "messages"} {
		var s Scanner
		s.Init(FromServer, nil)
		if err := s.Feed([]byte(`{"result":{"_meta":{"content":1},"` + name)); err != nil || s.Settled {
			t.Errorf("%s: settled too early, %v", name, err)
		}
		if err := s.Feed([]byte(`":[`)); err != nil || !s.Settled {
			t.Errorf("%s: not settled, %v", name, err)
		}
	}
}

func TestMethodName(t *testing.T) {
	for raw, want := range map[string]string{`"tools/call"`: MethodToolsCall, `"tools\/call"`: MethodToolsCall, `"my/own"`: "my/own"} {
		s := scanned(t, FromClient, []byte(`{"jsonrpc":"2.0","id":1,"method":`+raw+`}`))
		if got := s.MethodName(); got != want {
			t.Errorf("%s: %q", raw, got)
		}
	}
	s := scanned(t, FromClient, call)
	if n := testing.AllocsPerRun(100, func() { s.MethodName() }); n != 0 {
		t.Errorf("%v allocations for a known method", n)
	}
}

func TestAReusedScannerAllocatesNothing(t *testing.T) {
	var s Scanner
	buf := make([]byte, 0, 4096)
	msgs := [][]byte{call, reply(360)}
	out := make([]byte, 0, 4096)
	n := testing.AllocsPerRun(100, func() {
		for role, msg := range msgs {
			s.Init(Role(role), buf)
			if s.Feed(msg) != nil || s.End() != nil {
				t.Error("refused")
			}
			out = s.AppendReply(out[:0], []byte("1"))
			out = s.AppendRequest(out[:0], []byte("1"), []byte(`"a":1`), nil)
			buf = s.Release()
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestRoomForAKnownSizeIsExact(t *testing.T) {
	var s Scanner
	s.Init(FromServer, nil)
	msg := reply(100 << 10)
	s.Room(len(msg) + 1)
	for at := 0; at < len(msg); {
		n := copy(s.Room(1), msg[at:min(at+1000, len(msg))])
		at += n
		if err := s.Added(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(); err != nil || cap(s.Bytes()) != len(msg)+1 || s.Len() != len(msg) {
		t.Errorf("%v, capacity %d for %d bytes, %d taken", err, cap(s.Bytes()), len(msg), s.Len())
	}
}

// Very many members cost time and memory in proportion, and a duplicate among them is
// still found.
func TestManyMembers(t *testing.T) {
	const n = 200_000
	msg := []byte(`{"jsonrpc":"2.0","id":1,"result":{`)
	for i := range n {
		msg = append(strconv.AppendInt(append(msg, '"'), int64(i), 36), `":0,`...)
	}
	good := append(msg[:len(msg):len(msg)], `"no number":0}}`...)
	s := scanned(t, FromServer, good)
	if s.Init(FromServer, nil); s.levels[1].seen.many != nil {
		t.Error("the table of one message is kept for good")
	}
	bad := append(msg[:len(msg):len(msg)], `"\u0031":0}}`...)
	if _, err := fed(FromServer, bad); err == nil || err.Reason != Duplicate {
		t.Errorf("%v for a duplicate among many", err)
	}
}

func TestDrainKeepsMemorySmall(t *testing.T) {
	msg := reply(2 << 20)
	var s Scanner
	s.Init(FromServer, make([]byte, 0, 16<<10))
	written := &countingWriter{}
	for at := 0; at < len(msg); {
		n := copy(s.Room(1), msg[at:])
		at += n
		if err := s.Added(n); err != nil {
			t.Fatal(err)
		}
		if err := s.Drain(written, []byte("1")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.End(); err != nil || s.Ending != Complete {
		t.Fatal(err, s.Ending)
	}
	if err := s.Drain(written, []byte("1")); err != nil {
		t.Fatal(err)
	}
	if want := len(scanned(t, FromServer, msg).AppendReply(nil, []byte("1"))); written.n != want || cap(s.Release()) > 64<<10 {
		t.Errorf("%d bytes written, want %d; %d kept", written.n, want, cap(s.Release()))
	}
}

type countingWriter struct{ n int }

func (c *countingWriter) Write(p []byte) (int, error) { c.n += len(p); return len(p), nil }

// TestRandomMessages checks generated messages, which are mostly valid and full of
// what edits look for, in the way FuzzScanner does.
func TestRandomMessages(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7))
		msg := randomMessage(r)
		if r.IntN(10) == 0 { // break it
			msg[r.IntN(len(msg))] = `{}[]",:\0a `[r.IntN(11)]
		}
		checkScan(t, msg, seed)
	}
}

func randomMessage(r *rand.Rand) []byte {
	g := generator{r: r}
	inner := []string{"name", "arguments", "requestState", "inputResponses", "task", "uri", "other", "x", "progressToken", "level", "_meta"}
	members := map[string]func(){
		"jsonrpc": func() { g.WriteString(`"2.0"`) },
		"id":      func() { g.WriteString([]string{"1", `"a"`, "-7", `"\u0041"`}[r.IntN(4)]) },
		"extra":   func() { g.value(3) },
	}
	switch r.IntN(4) {
	case 0:
		members["error"] = func() { g.WriteString(`{"code":1,"message":"m"}`) }
	case 1:
		members["result"] = func() {
			g.object([]string{"resultType", "ttlMs", "cacheScope", "content", "inputRequests", "requestState", "a", "b", "contents", "structuredContent", "_meta"}, 3)
		}
	default:
		members["method"] = func() { g.WriteString(`"tools/call"`) }
		members["params"] = func() { g.object(inner, 3) }
	}
	var names []string
	for _, n := range []string{"jsonrpc", "id", "error", "result", "method", "params", "extra"} {
		if members[n] != nil && (n != "params" || r.IntN(5) > 0) {
			names = append(names, n)
		}
	}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	g.members(names, func(n string) { members[n]() })
	g.space()
	return g.Bytes()
}

// generator writes random JSON.
type generator struct {
	bytes.Buffer
	r *rand.Rand
}

func (g *generator) space() {
	if g.r.IntN(6) == 0 {
		g.WriteString([]string{" ", "\n", "\r\n\t", "  "}[g.r.IntN(4)])
	}
}

func (g *generator) name(n string) {
	if g.r.IntN(8) == 0 {
		i := g.r.IntN(len(n))
		n = fmt.Sprintf(`%s\u%04x%s`, n[:i], n[i], n[i+1:])
	}
	g.WriteString(`"` + n + `"`)
}

func (g *generator) members(names []string, value func(string)) {
	g.space()
	g.WriteByte('{')
	for i, n := range names {
		if i > 0 {
			g.WriteByte(',')
		}
		g.space()
		g.name(n)
		g.space()
		g.WriteByte(':')
		g.space()
		value(n)
		g.space()
	}
	g.WriteByte('}')
}

// object writes some of the names, in any order.
func (g *generator) object(names []string, depth int) {
	picked := append([]string(nil), names...)
	g.r.Shuffle(len(picked), func(i, j int) { picked[i], picked[j] = picked[j], picked[i] })
	g.members(picked[:g.r.IntN(len(picked)+1)], func(n string) {
		if n == "_meta" {
			g.object([]string{"progressToken", "traceparent", MetaProtocolVersion, MetaLogLevel, MetaSubscriptionID, MetaPrefix + "new", "vendor/x", "v"}, depth-1)
			return
		}
		g.value(depth - 1)
	})
}

func (g *generator) value(depth int) {
	switch n := g.r.IntN(9); {
	case n < 2 && depth > 0:
		g.object([]string{"a", "resultType", "id", "name"}, depth-1)
	case n == 2 && depth > 0:
		g.WriteByte('[')
		for i := range g.r.IntN(4) {
			if i > 0 {
				g.WriteByte(',')
			}
			g.value(depth - 1)
		}
		g.WriteByte(']')
	default:
		g.WriteString([]string{`"complete"`, `"input_required"`, `"a long enough text, to be taken in words \n\u00e9 é 日本 😀."`,
			"12345678901234567890.10", "-0.5E-3", "true", "false", "null", `""`, "0"}[g.r.IntN(10)])
	}
}
