package legacy

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
)

// reply is the client's end of one exchange: one JSON body, or an event stream from
// the first notification or question on. It is the attempts' sink and the asks'
// channel, and safe for concurrent use. Unless it says otherwise, a method that is not
// of these interfaces wants mu to be held.
type reply struct {
	stream
	h       *Handler
	x       *exchange.Exchange
	posted  *http.Request // the client's
	id      []byte        // of its message, raw
	session session.ID
	method  string
	accept  accept
	version wire.Version
	leave   func() // frees the request id; before the response is out, since the client may use it again at once

	streaming bool      // it has become an event stream
	long      bool      // a JSON body is being passed on in pieces
	gone      bool      // the client has no connection to it
	until     time.Time // a client that is gone may come back
	ended     bool      // nothing more will be said
	delivered bool      // the response has been written

	timer    *time.Timer // until the next comment, or as long as a client that is gone may come back
	links    [][]byte    // raw elicitationIds that the client has consented to, until they are completed
	unsent   bool        // a notification waits to be sent off
	lead     []byte      // goes before the first event
	replay   replay
	over     chan struct{} // closed to let the GET go that resumed it; nil without one
	counted  bool          // in streams_open
	progress progress
	deadline time.Duration // of the client, from the request's arrival; 0 is none
	waiting  waiting
}

func (h *Handler) newReply(w http.ResponseWriter, r *http.Request, x *exchange.Exchange, m *wire.Scanner, v *visitor, a accept, leave func()) *reply {
	p := &reply{h: h, x: x, posted: r, id: m.ID.Of(m.Bytes()), method: m.MethodName(), session: v.claims.ID, version: v.claims.Version, accept: a, leave: leave, deadline: h.deadlineOf(v.claims.ClientName)}
	p.w = w
	p.mu.Lock() // the timer may fire before it is noted
	defer p.mu.Unlock()
	p.timer = time.AfterFunc(h.KeepAlive, p.tick)
	return p
}

// tick says that the exchange is alive; a reply that could still be a JSON body becomes
// a stream for that, where the client reads one. It gives up a client that is gone and
// has not come back. It takes mu itself.
func (p *reply) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.gone && time.Now().Before(p.until): // it became due as a comment, and has waited for a write
		p.timer.Reset(time.Until(p.until))
	case p.gone:
		p.forget()
		p.x.End(exchange.ErrDropped)
	case p.ended || p.long || !p.accept.stream:
	default:
		p.open()
		p.buf = wire.AppendComment(p.led(), "")
		if p.put(p.buf) {
			p.timer.Reset(p.h.KeepAlive)
		}
	}
}

// Notify implements upstream.Sink.
func (p *reply) Notify(m *wire.Scanner) {
	if !p.accept.stream {
		p.h.Dropped(metrics.Downstream, metrics.DropNoStream)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	msg := m.Bytes()
	if m.MethodName() == wire.NotifyProgress {
		if msg = p.progress.translate(m); msg == nil {
			p.h.Dropped(metrics.Downstream, metrics.DropUnmatched)
			return
		}
	}
	p.unsent = p.enqueue(msg, m.Newlines)
}

// Flush implements upstream.Flusher: what has been notified goes off.
func (p *reply) Flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.unsent && !p.ended {
		p.unsent = false
		p.put(nil)
	}
}

// Reply implements upstream.Sink: the response goes down with the client's own id.
func (p *reply) Reply(m *wire.Scanner) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil
	}
	if m.Kind == wire.Result {
		p.completeLinks()
	}
	changed := p.downgraded(m)
	switch {
	case changed != nil:
		p.respond(changed, m.Newlines)
	case p.streams():
		p.last(m.AppendReply(make([]byte, 0, m.ReplySize(len(p.id))), p.id), m.Newlines)
	default:
		p.json(m.ReplySize(len(p.id)))
		err := m.WriteReply(p.w, p.id)
		p.end()
		return err
	}
	return nil
}

// downgraded is a whole response in the form of an older revision, or nil where it
// passes as it is.
func (p *reply) downgraded(m *wire.Scanner) (msg []byte) {
	var result []byte
	switch {
	case m.Kind != wire.Result:
	case p.method == wire.MethodToolsCall:
		result = downgradeToolResult(m)
	case p.method == wire.MethodToolsList:
		result = p.h.downgradeToolList(m)
	}
	if result == nil {
		return nil
	}
	msg = append(append([]byte(`{"jsonrpc":"2.0","id":`), p.id...), `,"result":`...)
	return append(append(msg, result...), '}')
}

// respond writes a whole response.
func (p *reply) respond(msg []byte, newlines bool) {
	if p.streams() {
		p.last(msg, newlines)
		return
	}
	p.json(len(msg))
	_, _ = p.w.Write(msg)
	p.end()
}

// send gives the client a response of the proxy's own. It takes mu itself.
func (p *reply) send(msg []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.respond(msg, false)
	}
}

// streams tells whether the response has to go on an event stream.
func (p *reply) streams() bool { return p.streaming || !p.accept.json }

// Stream implements upstream.Sink: a long response is passed on in pieces.
func (p *reply) Stream(size int64) (io.Writer, []byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, shared := p.w.(*member); shared || p.ended || p.gone || p.streams() {
		return nil, nil, false // what is cut off on a shared connection would spoil the others
	}
	p.long = true // and can still be cancelled
	p.header(size + int64(len(p.id)))
	return p.w, p.id, true
}

// json begins a JSON body that is written whole.
func (p *reply) json(size int) {
	p.leave()
	p.header(int64(size))
}

// header writes the header of a JSON body.
func (p *reply) header(size int64) {
	p.begun = true
	h := p.w.Header()
	h["Content-Type"] = contentJSON
	h["Content-Length"] = []string{strconv.FormatInt(size, 10)}
	p.w.WriteHeader(http.StatusOK)
}

// challenge passes on a refused credential, which only works as long as nothing has
// been written. It takes mu itself.
func (p *reply) challenge(e *upstream.Error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun || p.ended {
		return false
	}
	p.leave()
	p.begun = true
	p.h.challenge(p.w, p.posted, p.id, e)
	p.end()
	return true
}

// close ends the reply without a response, as after a cancellation: an event stream
// that holds none. It takes mu itself.
func (p *reply) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.leave()
	if !p.begun && !p.gone {
		if p.accept.stream {
			p.open()
			p.put(nil) // no event, not even the first: its id would bring the client back
		} else {
			p.begun = true
			p.w.WriteHeader(http.StatusAccepted)
		}
	}
	p.delivered = true // there is nothing to come back for
	p.end()
}

// end says that nothing more will be said.
func (p *reply) end() {
	if p.ended {
		return
	}
	p.ended = true
	p.waiting.stop()
	p.hangUp()
	if !p.awaited() {
		p.timer.Stop()
		p.forget()
	}
}

// release must be called before the handler returns: its connection is not used any
// more. It takes mu itself.
func (p *reply) release(w http.ResponseWriter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.delivered = true // the handler has met a fault
		p.end()
	}
	if p.w == w {
		p.lose()
	}
}
