package mcptest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Reply is what a script answers: Write alone, or one of Result and Error with
// what goes around it.
type Reply struct {
	Status int         // 0 is 200
	Header http.Header // beside the ones a reply has anyway
	Result string      // raw JSON
	Error  string      // raw JSON
	Before []string    // raw JSON messages before the response; they make it a stream
	Stream bool        // an event stream even without Before
	Cut    Cut         // where the reply breaks off
	Write  func(*Writer)
}

// Cut is a point of a reply at which the upstream fails.
type Cut uint8

// The points at which a reply can break off.
const (
	NoCut           Cut = iota
	BeforeHeaders       // the connection breaks before any byte
	AfterHeaders        // the connection breaks after the headers
	MidMessage          // the connection breaks half way through the response: its JSON body, or its event
	BeforeResponse      // the connection breaks where the response would begin, after all that goes before it
	WithoutResponse     // the body ends, cleanly, without the response
)

// Always is the script that gives the same reply every time.
func Always(r Reply) Script { return func(*Attempt) Reply { return r } }

// InTurn is the script that gives the replies one after the other, by the
// number of the attempt, and the last one from then on.
func InTurn(replies ...Reply) Script {
	return func(a *Attempt) Reply { return replies[min(a.Number, len(replies))-1] }
}

// Writer writes a reply by hand. It belongs to its script's goroutine. Once the
// proxy is gone, writes do nothing.
type Writer struct {
	w        http.ResponseWriter
	upstream *Upstream
	attempt  *Attempt
	stopping <-chan struct{}
}

// Header is the header of the reply, to be changed before the first byte.
func (w *Writer) Header() http.Header { return w.w.Header() }

// Open sends the status and the header with a content type.
func (w *Writer) Open(status int, contentType string) {
	w.w.Header().Set("Content-Type", contentType)
	w.w.WriteHeader(status)
	w.flush()
}

// OpenStream sends the header of an event stream.
func (w *Writer) OpenStream() { w.Open(http.StatusOK, "text/event-stream") }

// Bytes sends bytes as they are, at once.
func (w *Writer) Bytes(p string) {
	_, _ = io.WriteString(w.w, p) // the proxy may be gone: that is for the script to ask
	w.flush()
}

// Event sends messages, raw JSON, as one event each.
func (w *Writer) Event(messages ...string) {
	for _, m := range messages {
		w.Bytes("event: message\ndata: " + m + "\n\n")
	}
}

// Comment sends a comment line.
func (w *Writer) Comment(text string) { w.Bytes(": " + text + "\n\n") }

// Result sends the response as an event.
func (w *Writer) Result(result string) {
	w.upstream.answered(w.attempt)
	w.Event(w.response(result, ""))
}

// Break breaks the connection and ends the script: it does not return.
func (w *Writer) Break() {
	w.flush()
	panic(http.ErrAbortHandler) // how a handler tells its server to drop the connection
}

// Wait waits for c. It reports false when the proxy closes the attempt first,
// or the upstream goes down.
func (w *Writer) Wait(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	case <-w.attempt.gone:
	case <-w.stopping:
	}
	return false
}

// Hold keeps the reply open until the proxy closes the attempt or the upstream
// goes down.
func (w *Writer) Hold() { w.Wait(nil) }

// Drip sends the pieces one by one with a pause between them; it stops early
// when the proxy closes the attempt.
func (w *Writer) Drip(pause time.Duration, pieces ...string) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for _, p := range pieces {
		w.Bytes(p)
		select {
		case <-tick.C:
		case <-w.attempt.gone:
			return
		case <-w.stopping:
			return
		}
	}
}

// TakeOver sends raw bytes in place of an HTTP response and closes the connection.
func (w *Writer) TakeOver(p string) {
	conn, _, err := w.w.(http.Hijacker).Hijack()
	if err != nil {
		return // the proxy is gone
	}
	_, _ = io.WriteString(conn, p)
	_ = conn.Close()
}

func (w *Writer) flush() { _ = http.NewResponseController(w.w).Flush() }

func (w *Writer) response(result, failure string) string {
	if failure != "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`, w.id(), failure)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, w.id(), result)
}

func (w *Writer) id() string {
	if w.attempt.ID == nil {
		return "null"
	}
	return string(w.attempt.ID)
}

func (w *Writer) refuse(r *refusal) {
	w.reply(Reply{Status: r.status, Error: fmt.Sprintf(`{"code":%d,"message":%s}`, r.code, Quote(r.text))})
}

func (w *Writer) reply(r Reply) {
	if r.Write != nil {
		r.Write(w)
		return
	}
	w.upstream.answered(w.attempt)
	if r.Cut == BeforeHeaders {
		panic(http.ErrAbortHandler)
	}
	for name, values := range r.Header {
		w.w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	message := w.response(r.Result, r.Error)
	if r.Stream || len(r.Before) > 0 {
		w.replyStream(r, message)
		return
	}
	if r.Cut != WithoutResponse { // which ends cleanly: an empty body
		w.w.Header().Set("Content-Length", strconv.Itoa(len(message)))
	}
	w.Open(r.Status, "application/json")
	w.finish(r.Cut, message)
}

func (w *Writer) replyStream(r Reply, message string) {
	w.Open(r.Status, "text/event-stream")
	if r.Cut != AfterHeaders {
		w.Event(r.Before...)
	}
	w.finish(r.Cut, strings.Join([]string{"event: message\ndata: ", message, "\n\n"}, ""))
}

func (w *Writer) finish(cut Cut, last string) {
	switch cut {
	case WithoutResponse:
	case AfterHeaders, BeforeResponse:
		w.Break()
	case MidMessage:
		w.Bytes(last[:len(last)/2])
		w.Break()
	default:
		w.Bytes(last)
	}
}
