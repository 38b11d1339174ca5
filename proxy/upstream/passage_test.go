package upstream

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// long is a script with a result over a MiB of known length, in pieces.
func long(before, after string, cut int) func(http.ResponseWriter, *http.Request, seen) {
	return func(w http.ResponseWriter, _ *http.Request, q seen) {
		body := fill(before, q) + strings.Repeat("x", 3<<19) + fill(after, q)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = io.WriteString(w, body[:len(body)-cut])
	}
}

// A long reply goes down while it arrives, edited as a whole one would be, once it can only be final.
func TestLongRepliesStream(t *testing.T) {
	x := strings.Repeat("x", 3<<19)
	for _, tc := range []struct {
		name, before, after string
		cut                 int
		asked               int
		streamed            string // "" for none
		reason              Reason
	}{
		{name: "resultType last", before: `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"`, after: `"}],"resultType":"complete"}}`, asked: 1, streamed: `{"jsonrpc":"2.0","id":"x","result":{"content":[{"type":"text","text":"` + x + `"}]}}`},
		{name: "id last", before: `{"jsonrpc":"2.0","result":{"content":"`, after: `"},"id":ID}`, asked: 1, streamed: `{"jsonrpc":"2.0","result":{"content":"` + x + `"},"id":"x"}`},
		{name: "nothing tells", before: `{"jsonrpc":"2.0","id":ID,"result":{"tools":"`, after: `"}}`},
		{name: "input_required", before: `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","content":"`, after: `"}}`},
		{name: "cut", before: `{"jsonrpc":"2.0","id":ID,"result":{"content":"`, after: `"}}`, cut: 10, asked: 1, reason: Broken},
		{name: "syntax", before: `{"jsonrpc":"2.0","id":ID,"result":{"content":"`, after: `"]}`, asked: 1, reason: Broken},
		{name: "wrong id last", before: `{"jsonrpc":"2.0","result":{"content":"`, after: `"},"id":-1}`, asked: 1, reason: Broken},
		{name: "no id", before: `{"jsonrpc":"2.0","result":{"content":"`, after: `"}}`, asked: 1, reason: Broken},
		{name: "unknown type last", before: `{"jsonrpc":"2.0","id":ID,"result":{"content":"`, after: `","resultType":"odd"}}`, asked: 1, reason: Broken},
		{name: "input_required last", before: `{"jsonrpc":"2.0","id":ID,"result":{"content":"`, after: `","resultType":"input_required"}}`, asked: 1, reason: Broken},
		{name: "wrong id first", before: `{"jsonrpc":"2.0","id":-1,"result":{"content":"`, after: `"}}`, reason: WrongID},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, long(tc.before, tc.after, tc.cut))
			u := to(t, s)
			got := &sink{takes: true}
			res, e := u.Attempt(t.Context(), toolCall(t), Retry{}, got)
			err := failure(t, e)
			if got.asked != tc.asked {
				t.Errorf("asked %d times, want %d", got.asked, tc.asked)
			}
			switch {
			case tc.reason != 0:
				if err == nil || err.Reason != tc.reason {
					t.Errorf("got %+v, want reason %d", err, tc.reason)
				}
			case err != nil:
				t.Errorf("got %+v", err)
			case tc.streamed != "" && (res.Outcome != Complete || strings.TrimRight(got.stream.String(), " ") != tc.streamed || len(got.replies) != 0):
				t.Errorf("streamed %d bytes, %.100s…; want %d", got.stream.Len(), got.stream.String(), len(tc.streamed))
			case tc.streamed != "" && int64(got.stream.Len()) != got.size+int64(len(`"x"`)):
				t.Errorf("streamed %d bytes, and the length was said to be %d and the id's", got.stream.Len(), got.size)
			case tc.streamed == "" && got.stream.Len() != 0:
				t.Errorf("streamed %.100s…", got.stream.String())
			}
			if len(s.requests()) != 1 {
				t.Errorf("%d requests", len(s.requests()))
			}
		})
	}
}

// A sink that does not take it gets it whole, asked once.
func TestLongReplyThatIsNotTaken(t *testing.T) {
	u := to(t, serve(t, long(`{"jsonrpc":"2.0","id":ID,"result":{"content":"`, `"}}`, 0)))
	got, _, err := try(t, u, toolCall(t), Retry{})
	if err != nil || got.asked != 1 || len(got.replies) != 1 || len(got.replies[0]) < 3<<19 {
		t.Errorf("%+v, asked %d, %d replies", err, got.asked, len(got.replies))
	}
}

// A short reply, one of unknown length and one on a stream are never offered.
func TestRepliesThatAreBuffered(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":ID,"result":{"content":"` + strings.Repeat("x", 2<<20) + `"}}`
	for name, script := range map[string]func(http.ResponseWriter, *http.Request, seen){
		"short": say(200, "application/json", result(done)),
		"chunked": func(w http.ResponseWriter, r *http.Request, q seen) {
			flushed(w)
			_, _ = io.WriteString(w, fill(body, q))
		},
		"stream": say(200, "text/event-stream", "data: "+body+"\n\n"),
	} {
		got := &sink{takes: true}
		if _, err := to(t, serve(t, script)).Attempt(t.Context(), toolCall(t), Retry{}, got); err != nil || got.asked != 0 || len(got.replies) != 1 {
			t.Errorf("%s: %v, asked %d, %d replies", name, err, got.asked, len(got.replies))
		}
	}
}

// A client that goes away in the middle breaks the reply.
func TestStreamingSinkFails(t *testing.T) {
	u := to(t, serve(t, long(`{"jsonrpc":"2.0","id":ID,"result":{"content":"`, `"}}`, 0)))
	why := errors.New("gone")
	_, err := u.Attempt(t.Context(), toolCall(t), Retry{}, &closedSink{err: why})
	if e := failure(t, err); e.Reason != Broken || !errors.Is(err, why) {
		t.Errorf("got %+v", e)
	}
}

type closedSink struct {
	sink
	err error
}

func (s *closedSink) Stream(int64) (io.Writer, []byte, bool) { return s, []byte("1"), true }
func (s *closedSink) Write([]byte) (int, error)              { return 0, s.err }

// A reply goes down in small pieces, also where the storage is there for large ones.
func TestPiecesAreSmallWhateverTheStorage(t *testing.T) {
	got := &sink{takes: true}
	a := &attempt{u: &Upstream{}, call: toolCall(t), status: http.StatusOK, id: []byte("1"), buffer: make([]byte, 0, 1<<20), sink: got}
	text := `{"jsonrpc":"2.0","id":1,"result":{"content":"` + strings.Repeat("x", 2<<20)
	body := &asked{Reader: strings.NewReader(text)}
	err := a.readJSON(body, int64(len(text)))
	if failure(t, err).Reason != Broken || got.stream.Len() < 1<<20 || body.most > chunk {
		t.Errorf("%v, %d bytes went down, %d were asked for at once", err, got.stream.Len(), body.most)
	}
}

// asked notes for how much it is asked at once.
type asked struct {
	io.Reader
	most int
}

func (a *asked) Read(p []byte) (int, error) {
	a.most = max(a.most, len(p))
	return a.Reader.Read(p)
}

// Memory for a length that a server merely claims is not taken.
func TestRoomIsNotTakenOnTrust(t *testing.T) {
	a := &attempt{u: &Upstream{}, call: &Call{}}
	a.begin()
	p := passage{a: a, length: 1 << 30}
	if n := p.room(); n > chunk {
		t.Errorf("room for %d bytes before any came", n)
	}
	p.length = 1000
	if n := p.room(); n != 1001 {
		t.Errorf("room for %d bytes for a body of 1000, want one more so that its end is seen", n)
	}
	_ = a.scan.Feed([]byte(`{"x":"` + strings.Repeat("x", trusted)))
	p.length = 8 << 20
	if n := p.room(); n != 8<<20+1-a.scan.Len() {
		t.Errorf("room for %d bytes, want what is left of 8 MiB at once", n)
	}
}

// What turns out at its end to be no response does not look whole: not all bytes that were announced have gone down.
func TestALongReplyThatIsNoneAtItsEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		before, after string
		passed        bool
	}{
		"modern, result and error":    {`{"jsonrpc":"2.0","id":ID,"result":{"content":"`, `"},"error":{"code":1,"message":"x"}}`, true},
		"modern, no version":          {`{"id":ID,"result":{"content":"`, `"}}`, true},
		"modern, another id":          {`{"jsonrpc":"2.0","result":{"content":"`, `"},"id":-1}`, true},
		"legacy, wrapped, no version": {`{"id":ID,"result":{"structuredContent":"`, `"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			u := to(t, serve(t, long(tc.before, tc.after, 0)))
			call := toolCall(t)
			if tc.passed {
				call.Passed = &Passed{}
			}
			got := &sink{takes: true}
			if _, err := u.Attempt(t.Context(), call, Retry{}, got); err == nil {
				t.Fatal("no failure")
			}
			if n := int64(got.stream.Len()); n == 0 || n >= got.size+int64(len(`"x"`)) {
				t.Errorf("%d bytes had gone down of %d that were announced", n, got.size)
			}
		})
	}
}
