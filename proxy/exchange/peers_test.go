package exchange

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// record is what happened, with the time since it began.
type record struct {
	began time.Time
	mu    sync.Mutex
	lines []line
}

type line struct {
	at   time.Duration
	text string
}

func (r *record) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line{time.Since(r.began), fmt.Sprintf(format, args...)})
}

// String is the record. What happened to several asks at one time has no order: it is
// sorted.
func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.lines, func(a, b line) int {
		verbA, _, _ := strings.Cut(a.text, " ")
		verbB, _, _ := strings.Cut(b.text, " ")
		if a.at != b.at || verbA != verbB {
			return 0
		}
		return strings.Compare(a.text, b.text)
	})
	var b strings.Builder
	for _, l := range r.lines {
		fmt.Fprintf(&b, "%-7s %s\n", l.at, l.text)
	}
	return b.String()
}

// server plays the upstream's turns, one for each attempt.
type server struct {
	*record
	turns []turn
	n     int
}

// RoundTrip implements http.RoundTripper.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var msg struct {
		ID     json.RawMessage
		Params struct{ InputResponses, RequestState json.RawMessage }
	}
	if err := json.Unmarshal(body, &msg); err != nil {
		return nil, err
	}
	s.add("attempt%s%s", member(" answers", msg.Params.InputResponses), member(" state", msg.Params.RequestState))
	if s.n == len(s.turns) {
		return nil, errors.New("the script has no more turns of the server")
	}
	x := s.turns[s.n]
	s.n++
	if !pass(r.Context(), x.after, x.verb == "hangs") {
		s.add("attempt abandoned")
		return nil, r.Context().Err()
	}
	return x.response(msg.ID)
}

func member(name string, raw []byte) string {
	if raw == nil {
		return ""
	}
	return name + " " + string(raw)
}

// pass lets time pass; false when ctx ends first.
func pass(ctx context.Context, d time.Duration, forever bool) bool {
	if forever {
		<-ctx.Done()
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (x turn) response(id []byte) (*http.Response, error) {
	status, kind, body := http.StatusOK, "application/json", ""
	switch x.verb {
	case "result", "error":
		body = fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, id, x.verb, x.rest)
	case "status":
		status, _ = strconv.Atoi(x.rest)
		kind = "text/html"
	case "cut":
		return nil, io.ErrUnexpectedEOF
	default:
		return nil, fmt.Errorf("unknown verb %q", x.verb)
	}
	return &http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {kind}},
		Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
	}, nil
}

// client plays the client's turns, by the key of the ask.
type client struct {
	*record
	turns map[string]turn
}

// Notify implements upstream.Sink.
func (c *client) Notify(m *wire.Scanner) { c.add("notified %s", m.Bytes()) }

// Reply implements upstream.Sink.
func (c *client) Reply(m *wire.Scanner) error {
	if m.Kind == wire.ErrorResponse {
		c.add("response error %s", m.Error.Of(m.Bytes()))
		return nil
	}
	c.add("response %s", m.Result.Of(m.Bytes()))
	return nil
}

// Stream implements upstream.Sink.
func (c *client) Stream(int64) (io.Writer, []byte, bool) { return nil, nil, false }

// Waiting implements Client.
func (c *client) Waiting([]resolver.Ask) {}

// Resumed implements Client.
func (c *client) Resumed() {}

// Ask implements answer.Channel.
func (c *client) Ask(ctx context.Context, a resolver.Ask) (json.RawMessage, error) {
	c.add("asked %s %s", a.Key, a.Kind)
	x, ok := c.turns[a.Key]
	if !ok {
		return nil, answer.ErrNoChannel
	}
	if !pass(ctx, x.after, x.verb == "silent") {
		// A real client takes a moment to let go: the exchange must wait for that too.
		time.Sleep(time.Millisecond)
		c.add("withdrawn %s", a.Key)
		return nil, ctx.Err()
	}
	if x.verb == "error" {
		code, text, _ := strings.Cut(x.rest, " ")
		n, _ := strconv.Atoi(code)
		return nil, &answer.ClientError{Code: n, Message: text}
	}
	c.add("answered %s", a.Key)
	return json.RawMessage(x.rest), nil
}
