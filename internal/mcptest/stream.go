package mcptest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Stream is the reply to one HTTP request of a [Client], read as it comes: a
// body, or an event stream. Its methods wait where they need something that
// has not come yet, and fail the test when it does not come in time.
type Stream struct {
	t      testing.TB
	what   string // the request, for reports
	cancel context.CancelFunc

	watch
	status   int // 0 until the headers are there
	header   http.Header
	raw      []byte
	parser   eventParser
	events   []Event
	messages []*Message
	taken    int   // messages that Next has returned
	over     bool  // nothing more will come
	err      error // why it is over; nil for a clean end
}

// send runs the request and reads its reply, in the background.
func (s *Stream) send(client *http.Client, request *http.Request) {
	response, err := client.Do(request)
	if err != nil {
		s.update(func() { s.over, s.err = true, err })
		return
	}
	defer func() { _ = response.Body.Close() }() // read to its end, or broken
	s.update(func() { s.status, s.header = response.StatusCode, response.Header })
	buffer := make([]byte, 32<<10)
	for {
		n, err := response.Body.Read(buffer)
		s.update(func() { s.take(buffer[:n], err) })
		if err != nil {
			return
		}
	}
}

func (s *Stream) take(chunk []byte, err error) {
	s.raw = append(s.raw, chunk...)
	if s.isEvents() {
		s.parser.feed(chunk, s.takeEvent)
	}
	if err == nil {
		return
	}
	s.over = true
	if !errors.Is(err, io.EOF) {
		s.err = err
		return
	}
	if strings.HasPrefix(s.header.Get("Content-Type"), "application/json") && len(s.raw) > 0 {
		s.takeMessages(s.raw, "")
	}
}

func (s *Stream) takeEvent(e Event) {
	s.events = append(s.events, e)
	if e.Data != "" && (e.Type == "" || e.Type == "message") {
		s.takeMessages([]byte(e.Data), e.ID)
	}
}

func (s *Stream) takeMessages(raw []byte, eventID string) {
	messages, err := parseMessages(raw)
	if err != nil {
		s.over, s.err = true, fmt.Errorf("the proxy sent no JSON-RPC message: %w: %.200s", err, raw)
		s.cancel()
		return
	}
	for _, m := range messages {
		m.EventID = eventID
	}
	s.messages = append(s.messages, messages...)
}

func (s *Stream) isEvents() bool {
	return strings.HasPrefix(s.header.Get("Content-Type"), "text/event-stream")
}

// Status waits for the headers and returns the HTTP status.
func (s *Stream) Status() int {
	s.t.Helper()
	s.awaitHeaders()
	return s.status
}

// Header waits for the headers and returns them.
func (s *Stream) Header() http.Header {
	s.t.Helper()
	s.awaitHeaders()
	return s.header
}

// IsEvents waits for the headers and tells whether the reply is an event stream.
func (s *Stream) IsEvents() bool {
	s.t.Helper()
	s.awaitHeaders()
	return s.isEvents()
}

func (s *Stream) awaitHeaders() {
	s.t.Helper()
	arrived := s.await(Patience, func() bool { return s.status != 0 || s.over })
	if !arrived || s.status == 0 {
		s.t.Fatalf("no reply to %s: %v", s.what, s.err)
	}
}

// Next waits for the next message; nil when the reply is over.
func (s *Stream) Next() *Message {
	s.t.Helper()
	m, arrived := s.next(Patience)
	if !arrived {
		s.t.Fatalf("no message within %v in reply to %s", Patience, s.what)
	}
	return m
}

// Within returns the next message, nil when none comes within d. It is for what
// should not happen.
func (s *Stream) Within(d time.Duration) *Message {
	m, _ := s.next(d)
	return m
}

func (s *Stream) next(d time.Duration) (m *Message, arrived bool) {
	arrived = s.await(d, func() bool {
		if s.taken < len(s.messages) {
			m = s.messages[s.taken]
			s.taken++
			return true
		}
		return s.over
	})
	return m, arrived
}

// Ask waits for a question of the proxy, passing over notifications; anything
// but a request of that method fails the test.
func (s *Stream) Ask(method string) *Message {
	s.t.Helper()
	m := s.skip(func(m *Message) bool { return m.IsRequest() || m.IsResponse() })
	if m == nil || m.Method != method {
		s.t.Fatalf("wanted to be asked %s, got %s in reply to %s", method, s.describe(m), s.what)
	}
	return m
}

// Notification waits for a notification of a method, passing over others.
func (s *Stream) Notification(method string) *Message {
	s.t.Helper()
	m := s.skip(func(m *Message) bool { return m.Method == method || m.IsRequest() || m.IsResponse() })
	if m == nil || m.Method != method {
		s.t.Fatalf("wanted %s, got %s in reply to %s", method, s.describe(m), s.what)
	}
	return m
}

// Response waits for the response, passing over notifications. Being asked
// something first fails the test.
func (s *Stream) Response() *Message {
	s.t.Helper()
	m := s.skip(func(m *Message) bool { return m.IsRequest() || m.IsResponse() })
	if m == nil || !m.IsResponse() {
		s.t.Fatalf("wanted a response, got %s in reply to %s", s.describe(m), s.what)
	}
	return m
}

func (s *Stream) skip(until func(*Message) bool) *Message {
	s.t.Helper()
	for {
		if m := s.Next(); m == nil || until(m) {
			return m
		}
	}
}

func (s *Stream) describe(m *Message) string {
	if m != nil {
		return string(m.Raw)
	}
	text := "the end"
	s.look(func() {
		if s.status != 0 {
			text = fmt.Sprintf("the end (HTTP %d, %v, %.300s)", s.status, s.err, s.raw)
		} else {
			text = fmt.Sprintf("no reply (%v)", s.err)
		}
	})
	return text
}

// End waits until the reply is over and says how: nil is a clean end.
func (s *Stream) End() (err error) {
	s.t.Helper()
	if !s.await(Patience, func() bool { err = s.err; return s.over }) {
		s.t.Fatalf("the reply to %s is not over after %v", s.what, Patience)
	}
	return err
}

// Body waits until the reply is over and returns all of it.
func (s *Stream) Body() string {
	s.t.Helper()
	_ = s.End() // a broken body is returned as far as it came
	return s.Raw()
}

// Raw is the body so far, byte for byte.
func (s *Stream) Raw() (raw string) {
	s.look(func() { raw = string(s.raw) })
	return raw
}

// Events are the events so far, with those that carry no message.
func (s *Stream) Events() (events []Event) {
	s.look(func() { events = append(events, s.events...) })
	return events
}

// LastEventID is the id of the last event that had one, "" for none.
func (s *Stream) LastEventID() (id string) {
	for _, e := range s.Events() {
		if e.ID != "" {
			id = e.ID
		}
	}
	return id
}

// Comments is the number of comment lines so far.
func (s *Stream) Comments() (n int) {
	s.look(func() { n = s.parser.comments })
	return n
}

// AwaitComments waits until n comment lines have come.
func (s *Stream) AwaitComments(n int) {
	s.t.Helper()
	if !s.await(Patience, func() bool { return s.parser.comments >= n || s.over }) || s.Comments() < n {
		s.t.Fatalf("%d comment lines in reply to %s, want %d", s.Comments(), s.what, n)
	}
}

// Drop breaks the connection, as a client that vanishes does.
func (s *Stream) Drop() { s.cancel() }
