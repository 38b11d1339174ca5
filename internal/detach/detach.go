// Package detach has replies that go on without net/http. For as long as a handler runs, net/http holds two buffers, the
// request and a goroutine with a deep stack, which is nearly all that a silent stream costs.
package detach

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

// Group has the replies that go on. The zero value is ready.
type Group struct {
	// Fault is told of a panic other than http.ErrAbortHandler, which breaks the reply. w takes an answer in its place while
	// none of it has been written, and is nil afterwards. It may be nil itself.
	Fault func(w http.ResponseWriter, recovered any)

	mu     sync.Mutex
	open   map[net.Conn]struct{}
	empty  chan struct{} // closed when none is open any more; nil while nobody waits for that
	closed bool
}

// Reply calls serve, which writes the reply and returns when that is whole. Where the connection can be had it is called on
// a goroutine of its own, and the handler, which must not touch w and r any more, may return before; elsewhere (HTTP/2,
// HTTP/1.0) Reply returns when serve has, and its panics are the handler's. The context ends when the client is gone. What
// the handler has put into w's header is sent; what serve writes goes out when it flushes.
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
	var in io.Reader = conn
	if n := buffered.Reader.Buffered(); n > 0 {
		early, _ := buffered.Reader.Peek(n) // is there
		in = io.MultiReader(bytes.NewReader(bytes.Clone(early)), conn)
	}
	if !g.enter(conn) {
		_ = conn.Close()
	}
	go g.run(out, in, serve)
}

func (g *Group) run(out *reply, in io.Reader, serve func(context.Context, http.ResponseWriter)) {
	defer g.leave(out.conn)
	ctx, gone := context.WithCancel(context.Background())
	defer gone()
	go watch(in, gone)
	if g.completes(ctx, out, serve) && ctx.Err() == nil {
		out.end()
	}
}

// completes is false when serve has panicked after the beginning of its reply.
func (g *Group) completes(ctx context.Context, out *reply, serve func(context.Context, http.ResponseWriter)) (whole bool) {
	defer func() {
		fault := recover()
		if fault == nil || fault == any(http.ErrAbortHandler) {
			return
		}
		w := http.ResponseWriter(out)
		if whole = !out.begun; !whole {
			w = nil
		}
		if g.Fault != nil {
			g.Fault(w, fault)
		}
	}()
	serve(ctx, out)
	return true
}

// watch waits for the end of a connection. Nothing may come on it any more but the empty line that some clients send behind a
// request (RFC 9112, section 2.2): one that sends more is out of step, and is let go like one that has closed it.
func watch(in io.Reader, gone func()) {
	defer gone()
	b := make([]byte, 1)
	for range len("\r\n") {
		if _, err := in.Read(b); err != nil || b[0] != '\r' && b[0] != '\n' {
			return
		}
	}
	_, _ = in.Read(b)
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
		if c, ok := conn.(*tls.Conn); ok {
			conn = c.NetConn() // without a farewell, for which there may be no room
		}
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
	header  http.Header
	begun   bool
	pending []byte    // what is sent with the next flush: the head, and whole chunks
	err     error     // of the first write that failed
	until   time.Time // the write deadline
}

// long is how many bytes are sent at once and not copied.
const long = 32 << 10

// Header implements http.ResponseWriter.
func (w *reply) Header() http.Header {
	if w.header == nil {
		w.header = http.Header{} // nobody is sent it any more
	}
	return w.header
}

// WriteHeader implements http.ResponseWriter.
func (w *reply) WriteHeader(status int) {
	if w.begun {
		return
	}
	h := w.Header()
	h.Del("Content-Length")
	h.Set("Connection", "close")
	h.Set("Transfer-Encoding", "chunked")
	h.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	var head bytes.Buffer
	head.WriteString("HTTP/1.1 " + strconv.Itoa(status) + " " + http.StatusText(status) + "\r\n")
	_ = h.Write(&head) // to memory
	head.WriteString("\r\n")
	w.begun, w.pending, w.header = true, head.Bytes(), nil
}

// Write implements http.ResponseWriter.
func (w *reply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.err != nil || len(b) == 0 {
		return 0, w.err
	}
	w.pending = append(strconv.AppendInt(w.pending, int64(len(b)), 16), "\r\n"...)
	if len(b) < long {
		w.pending = append(w.pending, b...)
	} else if err := w.FlushError(); err != nil {
		return 0, err
	} else if w.send(b); w.err != nil {
		return 0, w.err
	}
	w.pending = append(w.pending, "\r\n"...)
	return len(b), nil
}

// FlushError is for http.ResponseController.
func (w *reply) FlushError() error {
	if w.err == nil && len(w.pending) > 0 {
		w.send(w.pending)
		w.pending = nil // most streams are silent most of the time
	}
	return w.err
}

func (w *reply) send(b []byte) {
	if now := time.Now(); w.until.Sub(now) < deadline.Unread*3/4 {
		w.until = now.Add(deadline.Unread)
		_ = w.conn.SetWriteDeadline(w.until)
	}
	_, w.err = w.conn.Write(b)
}

// end makes the reply whole.
func (w *reply) end() {
	w.WriteHeader(http.StatusOK)
	w.pending = append(w.pending, "0\r\n\r\n"...)
	_ = w.FlushError()
}
