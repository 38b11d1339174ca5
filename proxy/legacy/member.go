package legacy

import (
	"net/http"
	"runtime/debug"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// joined is a connection that carries the replies to several requests.
type joined interface {
	// events takes events that one of the replies has written.
	events(p []byte) (int, error)
	// body takes a response that is whole.
	body(msg []byte)
}

// member is the http.ResponseWriter for one of the requests whose replies share a
// connection. end must be called when its handler has returned.
type member struct {
	to     joined
	header http.Header
	whole  []byte
}

func newMember(to joined) *member { return &member{to: to, header: http.Header{}} }

// Header implements http.ResponseWriter.
func (m *member) Header() http.Header { return m.header }

// WriteHeader ignores the status: the connection has its own.
func (m *member) WriteHeader(int) {}

// Write implements http.ResponseWriter.
func (m *member) Write(p []byte) (int, error) {
	if m.header.Get("Content-Type") == contentEventStream[0] {
		return m.to.events(p)
	}
	m.whole = append(m.whole, p...)
	return len(p), nil
}

// Flush is here for http.ResponseController: events have been flushed by Write.
func (m *member) Flush() {}

// SetWriteDeadline is here for http.ResponseController: the connection sets its own.
func (m *member) SetWriteDeadline(time.Time) error { return nil }

func (m *member) refuse(id []byte, message string) {
	m.whole = wire.AppendError(nil, id, wire.CodeInvalidRequest, message, nil)
}

func (m *member) end() {
	if len(m.whole) > 0 {
		m.to.body(m.whole)
	}
}

// serve serves one message as if it had come alone.
func (h *Handler) serve(m *member, r *http.Request, msg *wire.Scanner, v *visitor) {
	h.contain(m, msg, func() { h.dispatch(m, r, msg, v) })
}

// contain keeps a fault within its message: this may be a goroutine of its own, whose
// fault would end the process. What m has been given goes down when f has returned.
func (h *Handler) contain(m *member, msg *wire.Scanner, f func()) {
	defer m.end()
	defer func() {
		if fault := recover(); fault != nil && fault != any(http.ErrAbortHandler) {
			h.Log.Error("a request met a fault of the proxy", zap.Any("fault", fault), zap.ByteString("stack", debug.Stack()))
			m.whole = wire.AppendError(nil, msg.ID.Of(msg.Bytes()), wire.CodeInternal, "a fault of the proxy; its log tells more", nil)
		}
	}()
	f()
}
