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

// abandoned is how long an exchange runs on after its stream has broken off.
const abandoned = 60 * time.Second

// reply is the client's end of one exchange: one JSON body, or an event stream from
// the first notification or question on. It is the attempts' sink and the asks'
// channel, and safe for concurrent use.
type reply struct {
	stream
	h       *Handler
	x       *exchange.Exchange
	id      []byte // the client's, raw
	session session.ID
	accept  accept
	version wire.Version

	leave func() // frees the request id; before the response is out, since the client may use it again at once

	progress progress
	timer    *time.Timer // keep-alive; after the client has gone, the time it may come back in
	long     bool        // a long response is being passed on in pieces
	counted  bool        // in streams_open
}

func (h *Handler) newReply(w http.ResponseWriter, x *exchange.Exchange, id []byte, v *visitor, a accept, leave func()) *reply {
	p := &reply{h: h, x: x, id: id, session: v.claims.ID, version: v.claims.Version, accept: a, leave: leave}
	p.w = w
	p.timer = time.AfterFunc(h.KeepAlive, p.tick)
	return p
}

// tick says that the exchange is alive. A reply that could still be a JSON body
// becomes a stream for that, where the client reads one.
func (p *reply) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended || p.long:
	case p.gone:
		p.x.End(exchange.ErrDropped)
	case p.accept.stream:
		p.open()
		p.comment()
		p.timer.Reset(p.h.KeepAlive)
	}
}

// open makes the reply a stream. The caller holds mu.
func (p *reply) open() {
	if p.begun {
		return
	}
	p.begin()
	p.counted = true
	p.h.Metrics.Streams(metrics.StreamExchange).Inc()
}

// dropped is called when the connection has broken. A legacy client that drops its
// stream has not cancelled; one whose reply never became a stream cannot come back.
func (p *reply) dropped() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.gone = true
	if !p.begun || p.long {
		p.x.End(exchange.ErrDropped)
		return
	}
	p.timer.Reset(abandoned)
}

// Notify implements upstream.Sink.
func (p *reply) Notify(m *wire.Scanner) {
	if !p.accept.stream {
		p.h.Dropped(metrics.Downstream, metrics.DropNoStream)
		return
	}
	msg := m.Bytes()
	if m.MethodName() == wire.NotifyProgress {
		if msg = p.progress.translate(m); msg == nil {
			p.h.Dropped(metrics.Downstream, metrics.DropUnmatched)
			return
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open()
	p.event(msg, m.Newlines)
}

// Reply implements upstream.Sink: the response goes down with the client's own id.
func (p *reply) Reply(m *wire.Scanner) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil
	}
	p.leave()
	if p.begun || !p.accept.json {
		p.open()
		p.buf = m.AppendReply(p.buf[:0], p.id)
		msg := p.buf
		p.buf = nil
		p.event(msg, m.Newlines)
		p.end()
		return nil
	}
	p.json(m.ReplySize(len(p.id)))
	err := m.WriteReply(p.w, p.id)
	p.end()
	return err
}

// patient is the size in bytes from which on a JSON body may meet a slow reader.
const patient = 64 << 10

// json writes the header of a JSON body; size is -1 when it is not known. The caller
// holds mu.
func (p *reply) json(size int) {
	p.begun = true
	h := p.w.Header()
	h["Content-Type"] = contentJSON
	if size >= 0 {
		h["Content-Length"] = []string{strconv.Itoa(size)}
	}
	if size < 0 || size > patient {
		p.rc = http.NewResponseController(p.w)
		_ = p.rc.SetWriteDeadline(time.Now().Add(writeStall))
	}
	p.w.WriteHeader(http.StatusOK)
}

// Stream implements upstream.Sink: a long response is passed on in pieces.
func (p *reply) Stream() (io.Writer, []byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.gone || p.begun || !p.accept.json {
		return nil, nil, false
	}
	p.leave()
	p.json(-1)
	p.long = true
	return pieces{p}, p.id, true
}

// pieces writes the pieces of a long JSON body, each within the time a reader has.
type pieces struct{ p *reply }

func (w pieces) Write(b []byte) (int, error) {
	_ = w.p.rc.SetWriteDeadline(time.Now().Add(writeStall))
	return w.p.w.Write(b)
}

// send gives the client a response of the proxy's own.
func (p *reply) send(msg []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.leave()
	if p.begun || !p.accept.json {
		p.open()
		p.event(msg, false)
	} else {
		p.json(len(msg))
		_, _ = p.w.Write(msg)
	}
	p.end()
}

// challenge passes on a refused credential, which only works as long as nothing has
// been written.
func (p *reply) challenge(e *upstream.Error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun || p.ended {
		return false
	}
	p.leave()
	p.begun = true
	writeChallenge(p.w, p.id, e)
	p.end()
	return true
}

// close ends the reply without a response, as after a cancellation: an event stream
// that holds none.
func (p *reply) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.leave()
	if !p.ended && !p.begun && !p.gone {
		if p.accept.stream {
			p.open()
			_ = p.rc.Flush()
		} else {
			p.begun = true
			p.w.WriteHeader(http.StatusAccepted)
		}
	}
	p.end()
}

// release must be called before the handler returns: nothing is written after it.
func (p *reply) release() {
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	if p.counted {
		p.counted = false
		p.h.Metrics.Streams(metrics.StreamExchange).Dec()
	}
}
