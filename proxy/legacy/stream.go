package legacy

import (
	"net/http"
	"sync"

	"github.com/mrtr-proxy/mrtr-proxy/internal/apart"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// stream is an event stream on one connection at a time. It owns the writer: nothing
// else may write to the connection once it has begun. A client that does not read is
// given up by the connection itself. Unless it says otherwise, a method wants mu to be
// held.
type stream struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	rc    http.ResponseController
	begun bool // something has been written on this connection
	buf   []byte

	headed bool // its header is out
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
	s.rc = *http.NewResponseController(s.w)
	h := s.w.Header()
	h["Content-Type"] = contentEventStream
	h["Cache-Control"] = noCache
	h["X-Accel-Buffering"] = noBuffering // or a reverse proxy in front holds events back
	s.w.WriteHeader(http.StatusOK)
}

// write sends b off at once. It is false when the client does not read, or is gone.
func (s *stream) write(b []byte) (taken bool) {
	s.shallow(func() { taken = s.queued(b) && s.rc.Flush() == nil })
	return taken
}

// queue writes b, to be sent off with what is written next, or when the handler returns.
// It is false when the client does not read, or is gone.
func (s *stream) queue(b []byte) (taken bool) {
	if len(b) < buffered {
		return s.queued(b)
	}
	s.shallow(func() { taken = s.queued(b) })
	return taken
}

func (s *stream) queued(b []byte) bool {
	s.begin()
	_, err := s.w.Write(b)
	return err == nil
}

// buffered is how many bytes net/http holds back at least before it writes the header.
const buffered = 1 << 10

// shallow does what makes net/http write the header, for which it needs a deep stack.
func (s *stream) shallow(f func()) {
	if _, shared := s.w.(*member); s.headed || shared {
		f()
		return
	}
	s.headed = true
	apart.Do(f)
}

// alive writes a comment, and tells whether the client takes it. It takes mu itself.
func (s *stream) alive() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buf = wire.AppendComment(s.buf[:0], "")
	return s.write(s.buf)
}
