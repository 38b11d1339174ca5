package legacy

import (
	"net/http"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// writeStall is how long a client may leave what is written to it unread.
const writeStall = 30 * time.Second

// stream is an event stream on one connection at a time. It owns the writer: nothing
// else may write to the connection once it has begun. Unless it says otherwise, a
// method wants mu to be held.
type stream struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	rc    *http.ResponseController
	begun bool // something has been written on this connection
	buf   []byte

	until time.Time // by which the connection has to take what is written; zero without one
}

var (
	contentEventStream = []string{"text/event-stream"}
	contentJSON        = []string{"application/json"}
	noCache            = []string{"no-cache"}
	noBuffering        = []string{"no"}
)

// begin writes the header of an event stream.
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

// write sends b off at once. It is false when the client does not read, or is gone.
func (s *stream) write(b []byte) bool { return s.queue(b) && s.rc.Flush() == nil }

// queue writes b, to be sent off with what is written next, or when the handler returns.
// It is false when the client does not read, or is gone.
func (s *stream) queue(b []byte) bool {
	s.begin()
	s.hurry()
	_, err := s.w.Write(b)
	return err == nil
}

// hurry sees to it that the client has about writeStall to take what is written now.
// Events come in bursts, so a deadline that is a little old does too.
func (s *stream) hurry() {
	if now := time.Now(); s.until.Sub(now) < writeStall*3/4 {
		s.until = now.Add(writeStall)
		_ = s.rc.SetWriteDeadline(s.until)
	}
}

// relax takes the deadline away, since the connection may serve on. It is called when
// the stream ends, and when it is going to be silent.
func (s *stream) relax() {
	if !s.until.IsZero() {
		s.until = time.Time{}
		_ = s.rc.SetWriteDeadline(time.Time{})
	}
}

// alive writes a comment, and tells whether the client takes it. It takes mu itself.
func (s *stream) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = wire.AppendComment(s.buf[:0], "")
	return s.write(s.buf)
}
