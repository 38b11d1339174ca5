package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// fed scans msg in the given pieces; the rest is one piece.
func fed(role Role, msg []byte, pieces ...int) (*Scanner, *Error) {
	s := new(Scanner)
	s.Init(role, nil)
	var err error
	for _, n := range append(pieces, len(msg)) {
		n = min(n, len(msg))
		if n%2 == 0 {
			err = s.Feed(msg[:n])
		} else {
			copy(s.Room(n), msg[:n])
			err = s.Added(n)
		}
		msg = msg[n:]
	}
	if err == nil {
		err = s.End()
	}
	var e *Error
	errors.As(err, &e)
	return s, e
}

func randomPieces(seed uint64, n int) []int {
	r := rand.New(rand.NewPCG(seed, 1))
	var pieces []int
	for most := 1 + r.IntN(20); n > 0; {
		p := 1 + r.IntN(most)
		pieces = append(pieces, p)
		n -= p
	}
	return pieces
}

// oracle says with encoding/json whether msg is a message, and what its parts are.
type oracle struct {
	reason                                    Reason
	message, params, result, meta, resultMeta map[string]json.RawMessage
}

func ask(role Role, msg []byte) (o oracle) {
	body := bytes.Trim(bytes.TrimPrefix(msg, []byte(byteOrderMark)), " \t\r\n")
	switch {
	case !json.Valid(body) || !utf8.Valid(body):
		o.reason = Syntax // or UTF8, Truncated
	case depthOf(body) > MaxDepth:
		o.reason = Depth
	case body[0] == '[':
		o.reason = Batch
	case body[0] != '{':
		o.reason = NotAMessage
	default:
		o.message = o.object(body)
		o.params = o.object(o.message["params"])
		o.result = o.object(o.message["result"])
		o.meta = o.object(o.params["_meta"])
		o.resultMeta = o.object(o.result["_meta"])
		if o.reason == 0 && !o.fits(role) {
			o.reason = NotAMessage
		}
	}
	return o
}

// object decodes an object, nil for any other value; o notes duplicates in it.
func (o *oracle) object(raw json.RawMessage) map[string]json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	m := make(map[string]json.RawMessage)
	d := json.NewDecoder(bytes.NewReader(raw))
	token := func() json.Token {
		token, err := d.Token()
		if err != nil {
			panic(err)
		}
		return token
	}
	for token(); d.More(); {
		name := token().(string)
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			panic(err)
		}
		if _, twice := m[name]; twice {
			o.reason = Duplicate
		}
		m[name] = v
	}
	return m
}

// value decodes a value, nil when there is none.
func (*oracle) value(raw json.RawMessage) (v any) {
	if raw == nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(err)
	}
	return v
}

func (o *oracle) fits(role Role) bool {
	m := o.message
	id := o.value(m["id"])
	n, isNumber := id.(json.Number)
	_, isText := id.(string)
	isID := isText || isNumber && !bytes.ContainsAny([]byte(n), ".eE")
	_, isMethod := o.value(m["method"]).(string)
	has := func(name string) bool { _, ok := m[name]; return ok }
	meta := o.params["_meta"]
	switch {
	case o.value(m["jsonrpc"]) != "2.0":
		return false
	case has("method"):
		return isMethod && !has("result") && !has("error") && (isID || !has("id")) &&
			(!has("params") || o.params != nil) && (meta == nil || meta[0] == '{' || meta[0] == 'n')
	case has("params") || has("result") == has("error"):
		return false
	case has("result"):
		return isID && (role == FromClient || o.result != nil)
	}
	noID := role == FromServer && (!has("id") || string(m["id"]) == "null")
	return m["error"][0] == '{' && (isID || noID)
}

func depthOf(valid []byte) (deepest int) {
	d := json.NewDecoder(bytes.NewReader(valid))
	d.UseNumber()
	for depth := 0; ; {
		t, err := d.Token()
		if err != nil {
			return deepest
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

// loses reports whether encoding/json decodes lone surrogates in msg, which it turns
// into U+FFFD, so that different names may look the same to it.
func loses(msg []byte) bool {
	return bytes.Contains(msg, []byte(`\u`)) || bytes.Contains(msg, []byte("\ufffd"))
}

var seeds = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,-2.5e+3,true,null]},"_meta":{"progressToken":7,"io.modelcontextprotocol/logLevel":"info","traceparent":"t"}}}`,
	`{"jsonrpc":"2.0","result":{"content":[{"text":"\u00e9\ud83d\ude00\ud800 é日本😀"}],"resultType":"complete","ttlMs":0},"id":"q"}`,
	"\xef\xbb\xbf \r\n{\"id\" : -0, \"jsonrpc\":\"2.0\",\n\"result\":{ \"res\\u0075ltType\" : \"input_required\" , \"inputRequests\":{}, \"requestState\":\"\" } }\r\n",
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`,
	`{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`,
	`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5,"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}`,
	`{"jsonrpc":"2.0","id":2,"method":"x","params":{"task":{},"inputResponses":1,"requestState":"mine"}}`,
	`{"jsonrpc":"2.0","id":2,"method":"x","params":{"_meta":null}}`,
	`{"jsonrpc":"2.0","id":2,"method":"ping","\u0069d":3}`,
	`[{"jsonrpc":"2.0","id":2,"method":"ping"}]`,
	`{"a1":1,"a2":1,"a3":1,"a4":1,"a5":1,"a6":1,"a7":1,"a8":1,"a9":1,"b1":1,"b2":1,"a1":1}`,
	`{"jsonrpc":"2\u002e0","id":01,"method":5}`,
	`"text"`, `5`, ``, `{`, `nul`, "{\"\xc3", "\xff\xfe{\x00", `{"jsonrpc":"2.0","id":1.5,"method":"m"}`,
	`{"jsonrpc":"2.0","id":1,"result":{"cacheScope":1,"a":2,"ttlMs":3},"error":{}}`,
}

// checkScan compares one message, whole and in pieces, with the oracle.
func checkScan(t *testing.T, msg []byte, seed uint64) {
	t.Helper()
	for _, role := range []Role{FromClient, FromServer} {
		whole, err := fed(role, msg)
		torn, tornErr := fed(role, msg, randomPieces(seed, len(msg))...)
		switch {
		case (err == nil) != (tornErr == nil) || err != nil && *err != *tornErr:
			t.Fatalf("whole %v, in pieces %v: %q", err, tornErr, msg)
		case err == nil && (whole.Found != torn.Found || !bytes.Equal(whole.Bytes(), torn.Bytes())):
			t.Fatalf("whole %+v\nin pieces %+v: %q", whole.Found, torn.Found, msg)
		}
		want := ask(role, msg)
		if loses(msg) && want.reason == Duplicate {
			return
		}
		got := grouped(err)
		if want.reason == Syntax && (got == Duplicate || got == Depth) {
			continue // found before the fault
		}
		if got != want.reason {
			t.Fatalf("%v, want %v: %q", err, want.reason, msg)
		}
		if err == nil {
			checkFound(t, whole, &want)
			checkReply(t, whole, &want, seed)
			checkRequest(t, whole, &want)
		}
	}
}

// grouped is the reason of an error as an oracle knows it.
func grouped(err *Error) Reason {
	switch {
	case err == nil:
		return 0
	case err.Code() == CodeParse:
		return Syntax
	}
	return err.Reason
}

func checkFound(t *testing.T, s *Scanner, o *oracle) {
	t.Helper()
	msg := s.Bytes()
	for name, pair := range map[string][2][]byte{
		"id":             {s.ID.Of(msg), o.message["id"]},
		"method":         {s.Method.Of(msg), o.message["method"]},
		"params":         {s.Params.Of(msg), o.message["params"]},
		"result":         {s.Result.Of(msg), o.message["result"]},
		"error":          {s.Error.Of(msg), o.message["error"]},
		"name":           {s.Name.Of(msg), o.params["name"]},
		"arguments":      {s.Arguments.Of(msg), o.params["arguments"]},
		"_meta":          {s.Meta.Of(msg), o.params["_meta"]},
		"subscriptionId": {s.SubscriptionID.Of(msg), o.meta[MetaSubscriptionID]},
		"resultType":     {s.ResultType.Of(msg), o.result["resultType"]},
		"inputRequests":  {s.InputRequests.Of(msg), o.result["inputRequests"]},
		"content":        {s.Content.Of(msg), o.result["content"]},
		"resultMeta":     {s.ResultMeta.Of(msg), o.result["_meta"]},
	} {
		if !bytes.Equal(pair[0], pair[1]) {
			t.Fatalf("%s is %q, want %q: %q", name, pair[0], pair[1], msg)
		}
	}
	if breaks := bytes.ContainsAny(msg, "\r\n"); breaks != s.Newlines {
		t.Fatalf("Newlines %v: %q", s.Newlines, msg)
	}
}

// checkReply checks a server's edited message against the oracle, and Drain, WriteReply
// and ReplySize against AppendReply.
func checkReply(t *testing.T, s *Scanner, o *oracle, seed uint64) {
	t.Helper()
	if s.role != FromServer || s.Kind != Result && s.Kind != ErrorResponse {
		return
	}
	got := s.AppendReply([]byte("-"), []byte(`"new"`))[1:]
	again := ask(FromServer, got)
	if again.reason != 0 && !loses(got) {
		t.Fatalf("%v of %q\nfrom %q", again.reason, got, s.Bytes())
	}
	o.message["id"] = json.RawMessage(`"new"`)
	for _, gone := range []string{"resultType", "ttlMs", "cacheScope"} {
		delete(o.result, gone)
	}
	if v := o.result["structuredContent"]; v != nil && v[0] != '{' {
		o.result["structuredContent"] = json.RawMessage(wrapOpen + string(v) + wrapClose)
	}
	for name := range o.resultMeta {
		if strings.HasPrefix(name, MetaPrefix) {
			delete(o.resultMeta, name)
		}
	}
	delete(o.message, "result")
	delete(again.message, "result")
	if o.resultMeta != nil && again.resultMeta != nil {
		sameMembers(t, again.resultMeta, o.resultMeta, got)
		delete(o.result, "_meta")
		delete(again.result, "_meta")
	}
	sameMembers(t, again.message, o.message, got)
	sameMembers(t, again.result, o.result, got)
	if n := s.ReplySize(5); n != len(got) {
		t.Fatalf("ReplySize %d, want %d: %q", n, len(got), got)
	}
	if most := s.Len() - s.ID.Len() + 5 + MostAdded; s.ID.IsSet() && len(got) > most {
		t.Fatalf("%d bytes, more than %d: %q", len(got), most, got)
	}
	var written bytes.Buffer
	if err := s.WriteReply(&written, []byte(`"new"`)); err != nil || !bytes.Equal(written.Bytes(), got) {
		t.Fatalf("WriteReply %v %q\nwant %q", err, written.Bytes(), got)
	}
	if drained := drain(t, s.Bytes(), randomPieces(seed, s.Len())); !bytes.Equal(drained, got) {
		t.Fatalf("Drain %q\n want %q", drained, got)
	}
}

func drain(t *testing.T, msg []byte, pieces []int) []byte {
	t.Helper()
	var s Scanner
	var out bytes.Buffer
	s.Init(FromServer, nil)
	for _, n := range pieces {
		n = min(n, len(msg))
		if err := errors.Join(s.Feed(msg[:n]), s.Drain(&out, []byte(`"new"`))); err != nil {
			t.Fatal(err)
		}
		msg = msg[n:]
	}
	if err := errors.Join(s.End(), s.Drain(&out, []byte(`"new"`)), s.Drain(io.Discard, nil)); err != nil {
		t.Fatal(err)
	}
	if len(s.Bytes()) != 0 {
		t.Fatalf("left after Drain: %q", s.Bytes())
	}
	return out.Bytes()
}

func checkRequest(t *testing.T, s *Scanner, o *oracle) {
	t.Helper()
	if s.role != FromClient || s.Kind != Request {
		return
	}
	got := s.AppendRequest(nil, []byte("99"), []byte(`"io.modelcontextprotocol/x":1`), []byte(`"inputResponses":{},"requestState":""`))
	again := ask(FromClient, got)
	if again.reason != 0 && !loses(got) {
		t.Fatalf("%v of %q\nfrom %q", again.reason, got, s.Bytes())
	}
	params, meta := o.params, o.meta
	if params == nil {
		params = map[string]json.RawMessage{}
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	o.message["id"] = json.RawMessage("99")
	delete(params, "task")
	params["inputResponses"], params["requestState"] = json.RawMessage("{}"), json.RawMessage(`""`)
	for name := range meta {
		if len(name) >= len(MetaPrefix) && name[:len(MetaPrefix)] == MetaPrefix || name == "progressToken" {
			delete(meta, name)
		}
	}
	meta[MetaPrefix+"x"] = json.RawMessage("1")
	delete(o.message, "params")
	delete(again.message, "params")
	delete(params, "_meta")
	delete(again.params, "_meta")
	sameMembers(t, again.message, o.message, got)
	sameMembers(t, again.params, params, got)
	sameMembers(t, again.meta, meta, got)
}

func sameMembers(t *testing.T, got, want map[string]json.RawMessage, msg []byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("members %q, want %q: %q", got, want, msg)
	}
	for name, v := range want {
		if !bytes.Equal(got[name], v) {
			t.Fatalf("%s is %q, want %q: %q", name, got[name], v, msg)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for i, msg := range seeds {
		f.Add([]byte(msg), uint64(i))
	}
	f.Fuzz(checkScan)
}
