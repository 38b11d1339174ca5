package legacy

import (
	"net/http"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// writeStall is how long a client may leave one event of its stream unread.
const writeStall = 30 * time.Second

// stream is an event stream towards a client. It owns the writer: nothing else may
// write to the connection once it has begun. Its methods are safe for concurrent use;
// what is written after end, or to a client that is gone, goes nowhere.
type stream struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	rc    *http.ResponseController
	begun bool
	ended bool // by us
	gone  bool // by the client
	buf   []byte
}

// begin writes the header. The caller holds mu.
func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	s.rc = http.NewResponseController(s.w)
	h := s.w.Header()
	h["Content-Type"] = contentEventStream
	h["Cache-Control"] = noCache
	h["X-Accel-Buffering"] = noBuffering // or a reverse proxy in front holds events back
	s.w.WriteHeader(http.StatusOK)
}

var (
	contentEventStream = []string{"text/event-stream"}
	contentJSON        = []string{"application/json"}
	noCache            = []string{"no-cache"}
	noBuffering        = []string{"no"}
)

// event writes one message. The caller holds mu.
func (s *stream) event(msg []byte, newlines bool) bool {
	s.buf = wire.AppendEvent(s.buf[:0], "", msg, newlines)
	return s.flush(s.buf)
}

// comment writes a comment, which says that the stream is alive. The caller holds mu.
func (s *stream) comment() bool {
	s.buf = wire.AppendComment(s.buf[:0], "")
	return s.flush(s.buf)
}

// flush writes b and sends it off. A client that does not read is given up.
func (s *stream) flush(b []byte) bool {
	if s.ended || s.gone {
		return false
	}
	s.begin()
	_ = s.rc.SetWriteDeadline(time.Now().Add(writeStall))
	_, err := s.w.Write(b)
	if err == nil {
		err = s.rc.Flush()
	}
	if err != nil {
		s.gone = true
	}
	return err == nil
}

// end closes the stream for writing; the handler returns next. The caller holds mu.
func (s *stream) end() {
	if s.ended {
		return
	}
	s.ended = true
	if s.rc != nil && !s.gone {
		_ = s.rc.SetWriteDeadline(time.Time{}) // the connection may serve on
	}
}

// alive writes a comment and tells whether the client is still there.
func (s *stream) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.comment()
}

// close ends the stream.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
}
