// Package detach has replies that go on without net/http. For as long as a handler runs, net/http holds two buffers, the
// request and a goroutine with a deep stack, which is nearly all that a silent stream costs.
package detach

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

// Group has the replies that go on. The zero value is ready.
type Group struct {
	mu     sync.Mutex
	open   map[net.Conn]struct{}
	empty  chan struct{} // closed when none is open any more; nil while nobody waits for that
	closed bool
}

// Reply calls serve, which writes the reply and returns when that is whole. Where the connection can be had it is called on
// a goroutine of its own, and the handler, which must not touch w and r any more, may return before; elsewhere (HTTP/2,
// HTTP/1.0) Reply returns when serve has. The context ends when the client is gone. What the handler has put into w's
// header is sent. serve must contain its panics, and what it writes goes out when it flushes.
func (g *Group) Reply(w http.ResponseWriter, r *http.Request, serve func(context.Context, http.ResponseWriter)) {
	if !r.ProtoAtLeast(1, 1) {
		serve(r.Context(), w)
		return
	}
	out := &reply{header: w.Header()}
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		serve(r.Context(), w)
		return
	}
	out.conn = conn
	more := buffered.Reader.Buffered() > 0
	if !g.enter(conn) {
		_ = conn.Close()
	}
	go g.run(out, more, serve)
}

func (g *Group) run(out *reply, more bool, serve func(context.Context, http.ResponseWriter)) {
	defer g.leave(out.conn)
	ctx, gone := context.WithCancel(context.Background())
	defer gone()
	if more {
		gone()
	} else {
		go watch(out.conn, gone)
	}
	serve(ctx, out)
	out.end()
}

// watch waits for the end of a connection. Nothing may come on it any more: a client that does send something is out of
// step, and is let go like one that has closed it.
func watch(conn net.Conn, gone func()) {
	defer gone()
	_, _ = conn.Read(make([]byte, 1))
}

// enter is false when the group is closed.
func (g *Group) enter(conn net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[net.Conn]struct{}{}
	}
	g.open[conn] = struct{}{}
	return !g.closed
}

func (g *Group) leave(conn net.Conn) {
	_ = conn.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, conn)
	if len(g.open) == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

// Wait returns when no reply goes on, or ctx has ended.
func (g *Group) Wait(ctx context.Context) {
	select {
	case <-g.none():
	case <-ctx.Done():
	}
}

// Close breaks the connections of the replies that still go on, and waits for their end. Later ones are broken at once.
func (g *Group) Close() {
	g.mu.Lock()
	g.closed = true
	for conn := range g.open {
		_ = conn.Close()
	}
	g.mu.Unlock()
	<-g.none()
}

func (g *Group) none() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.open) == 0 {
		none := make(chan struct{})
		close(none)
		return none
	}
	if g.empty == nil {
		g.empty = make(chan struct{})
	}
	return g.empty
}

// reply is the http.ResponseWriter of a reply that goes on: chunks of HTTP/1.1 (RFC 9112, section 7.1), after which the
// connection ends. One goroutine at a time may use it.
type reply struct {
	conn    net.Conn
	header  http.Header // nil once it has been written
	pending []byte      // what is sent with the next flush: the head, and whole chunks
	err     error       // of the first write that failed
	until   time.Time   // the write deadline
}

// Header implements http.ResponseWriter.
func (w *reply) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *reply) WriteHeader(status int) {
	if w.header == nil {
		return
	}
	h := w.header
	h.Set("Connection", "close")
	h.Set("Transfer-Encoding", "chunked")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = h.Write(&head) // to memory
	head.WriteString("\r\n")
	w.pending, w.header = head.Bytes(), nil
}

// Write implements http.ResponseWriter.
func (w *reply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.err != nil || len(b) == 0 {
		return 0, w.err
	}
	w.pending = append(strconv.AppendInt(w.pending, int64(len(b)), 16), "\r\n"...)
	w.pending = append(append(w.pending, b...), "\r\n"...)
	return len(b), nil
}

// FlushError is for http.ResponseController.
func (w *reply) FlushError() error {
	if w.err != nil || len(w.pending) == 0 {
		return w.err
	}
	if now := time.Now(); w.until.Sub(now) < deadline.Unread*3/4 {
		w.until = now.Add(deadline.Unread)
		_ = w.conn.SetWriteDeadline(w.until)
	}
	_, w.err = w.conn.Write(w.pending)
	w.pending = nil // most streams are silent most of the time
	return w.err
}

// end makes the reply whole.
func (w *reply) end() {
	w.WriteHeader(http.StatusOK)
	w.pending = append(w.pending, "0\r\n\r\n"...)
	_ = w.FlushError()
}
