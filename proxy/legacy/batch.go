package legacy

import (
	"net/http"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// maxBatch is how many messages a batch may have.
const maxBatch = 100

// Batch serves an array of messages, which 2025-03-26 has and no other revision. Its
// messages are served as if each had come alone, all at once; the responses go down as
// one array, or on one event stream when any of them needs one.
func (h *Handler) Batch(w http.ResponseWriter, r *http.Request, body []byte) {
	v := h.visit(w, r, nil)
	if v == nil {
		return
	}
	if v.claims.Version != wire.V20250326 {
		refuse(w, http.StatusBadRequest, nil, wire.CodeInvalidRequest, "batches are not part of revision "+v.claims.Version.String()+": send one message in a request")
		return
	}
	messages, err := wire.SplitBatch(body, maxBatch)
	if err != nil {
		refuse(w, http.StatusBadRequest, nil, wire.CodeInvalidRequest, "a batch is an array of at least one message and at most 100")
		return
	}
	b := &batch{w: w}
	var wg sync.WaitGroup
	for _, msg := range messages {
		wg.Go(func() { h.serveMember(b, r, msg, v) })
	}
	wg.Wait()
	b.end()
}

// serveMember serves one message of a batch.
func (h *Handler) serveMember(b *batch, r *http.Request, msg []byte, v *visitor) {
	var m wire.Scanner
	m.Init(wire.FromClient, make([]byte, 0, len(msg)))
	err := m.Feed(msg)
	if err == nil {
		err = m.End()
	}
	member := &batchMember{batch: b, header: http.Header{}}
	defer member.end()
	defer func() {
		if fault := recover(); fault != nil && fault != http.ErrAbortHandler {
			panic(fault)
		}
	}()
	switch {
	case err != nil:
		member.refuse(m.ID.Of(m.Bytes()), "a message of the batch is no JSON-RPC message")
	case m.Kind == wire.Request && m.MethodName() == wire.MethodInitialize:
		member.refuse(m.ID.Of(m.Bytes()), "initialize must not be part of a batch")
	case m.Kind == wire.Request:
		h.request(member, r, &m, v)
	case m.Kind == wire.Notification:
		h.notification(member, r, &m, v)
	default:
		h.answer(member, r, &m, v)
	}
}

// batch joins the replies to the messages of a batch.
type batch struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	rc      *http.ResponseController
	bodies  list // whole responses, as long as there is no stream
	waiting [][]byte
	begun   bool // as an event stream
}

// body takes a response that is whole.
func (b *batch) body(msg []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun {
		_, _ = b.w.Write(wire.AppendEvent(nil, "", msg, true))
		_ = b.rc.Flush()
		return
	}
	b.bodies.add(msg)
	b.waiting = append(b.waiting, msg)
}

// events takes events that one of the replies has written.
func (b *batch) events(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.begun {
		b.begun = true
		b.rc = http.NewResponseController(b.w)
		h := b.w.Header()
		h["Content-Type"], h["Cache-Control"], h["X-Accel-Buffering"] = contentEventStream, noCache, noBuffering
		for _, msg := range b.waiting {
			_, _ = b.w.Write(wire.AppendEvent(nil, "", msg, true))
		}
	}
	_ = b.rc.SetWriteDeadline(time.Now().Add(writeStall))
	n, err := b.w.Write(p)
	if err == nil {
		err = b.rc.Flush()
	}
	_ = b.rc.SetWriteDeadline(time.Time{})
	return n, err
}

// end writes what is left to write. A batch of notifications has no response.
func (b *batch) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.begun:
	case len(b.bodies) == 0:
		b.w.WriteHeader(http.StatusAccepted)
	default:
		b.w.Header()["Content-Type"] = contentJSON
		_, _ = b.w.Write(b.bodies.end())
	}
}

// batchMember is the http.ResponseWriter for one message of a batch.
type batchMember struct {
	batch  *batch
	header http.Header
	body   []byte
}

func (m *batchMember) Header() http.Header { return m.header }

// WriteHeader ignores the status: there is one for the whole batch.
func (m *batchMember) WriteHeader(int) {}

func (m *batchMember) Write(p []byte) (int, error) {
	if m.header.Get("Content-Type") == contentEventStream[0] {
		return m.batch.events(p)
	}
	m.body = append(m.body, p...)
	return len(p), nil
}

// Flush is here for http.ResponseController: events have been flushed by Write.
func (m *batchMember) Flush() {}

// SetWriteDeadline is here for http.ResponseController: the batch sets its own.
func (m *batchMember) SetWriteDeadline(time.Time) error { return nil }

func (m *batchMember) refuse(id []byte, message string) {
	m.body = wire.AppendError(nil, id, wire.CodeInvalidRequest, message, nil)
}

func (m *batchMember) end() {
	if len(m.body) > 0 {
		m.batch.body(m.body)
	}
}
