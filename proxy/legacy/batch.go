package legacy

import (
	"net/http"
	"sync"

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
func (h *Handler) serveMember(b *batch, r *http.Request, raw []byte, v *visitor) {
	var msg wire.Scanner
	msg.Init(wire.FromClient, make([]byte, 0, len(raw)))
	err := msg.Feed(raw)
	if err == nil {
		err = msg.End()
	}
	m := newMember(b)
	switch {
	case err != nil:
		m.refuse(msg.ID.Of(msg.Bytes()), "a message of the batch is no JSON-RPC message")
		m.end()
	case msg.Kind == wire.Request && msg.MethodName() == wire.MethodInitialize:
		m.refuse(msg.ID.Of(msg.Bytes()), "initialize must not be part of a batch")
		m.end()
	default:
		h.serve(m, r, &msg, v)
	}
}

// batch joins the replies to the messages of a batch.
type batch struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	bodies  list // whole responses, as long as there is no stream
	waiting [][]byte
	begun   bool // as an event stream
}

// body implements joined.
func (b *batch) body(msg []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.begun {
		_, _ = b.write(wire.AppendEvent(nil, "", msg, true))
		return
	}
	b.bodies.add(msg)
	b.waiting = append(b.waiting, msg)
}

// events implements joined.
func (b *batch) events(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.begun {
		b.begun = true
		h := b.w.Header()
		h["Content-Type"], h["Cache-Control"], h["X-Accel-Buffering"] = contentEventStream, noCache, noBuffering
		for _, msg := range b.waiting {
			_, _ = b.write(wire.AppendEvent(nil, "", msg, true))
		}
	}
	return b.write(p)
}

// write sends p off at once.
func (b *batch) write(p []byte) (int, error) {
	n, err := b.w.Write(p)
	if err == nil {
		err = http.NewResponseController(b.w).Flush()
	}
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
		_, _ = b.write(b.bodies.end())
	}
}
