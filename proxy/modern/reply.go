package modern

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
)

var (
	contentEventStream = []string{"text/event-stream"}
	contentJSON        = []string{"application/json"}
	noCache            = []string{"no-cache"}
	noBuffering        = []string{"no"}
)

// reply is the client's end of one exchange: one JSON body, or an event stream from the
// first notification on. It is the attempts' sink, and safe for concurrent use. Unless
// it says otherwise, a method that is not of that interface wants mu to be held.
type reply struct {
	h      *Handler
	x      *exchange.Exchange
	id     []byte // the client's, raw
	method string
	stream bool // the client reads an event stream
	r      *http.Request

	mu        sync.Mutex
	w         http.ResponseWriter
	rc        http.ResponseController
	streaming bool // it has become an event stream
	long      bool // a JSON body is being passed on in pieces
	ended     bool // nothing more will be said
	status    int  // with which a JSON-RPC error came from the server
	timer     *time.Timer
	buf       []byte
	progress  progress
}

func (h *Handler) newReply(w http.ResponseWriter, r *http.Request, x *exchange.Exchange, id []byte, method string) *reply {
	p := &reply{h: h, x: x, id: id, method: method, stream: takesStream(r.Header), r: r, w: w}
	if p.stream {
		p.mu.Lock() // tick waits until there is a timer
		p.timer = time.AfterFunc(h.KeepAlive, p.tick)
		p.mu.Unlock()
	}
	return p
}

// tick says that the exchange is alive; a reply that could still be a JSON body becomes
// a stream for that. It takes mu itself.
func (p *reply) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.buf = wire.AppendComment(p.buf[:0], "")
	p.put(p.buf)
	p.timer.Reset(p.h.KeepAlive)
}

// respond writes a whole response.
func (p *reply) respond(status int, msg []byte, newlines bool) {
	if p.streaming {
		p.event(msg, newlines)
	} else {
		p.json(status, int64(len(msg)))
		_, _ = p.w.Write(msg) // who is gone has cancelled
	}
	p.end()
}

// send gives the client a response of the proxy's own. It takes mu itself.
func (p *reply) send(status int, msg []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.respond(status, msg, false)
	}
}

// json writes the header of a JSON body of size bytes.
func (p *reply) json(status int, size int64) {
	h := p.w.Header()
	h["Content-Type"] = contentJSON
	h["Content-Length"] = []string{strconv.FormatInt(size, 10)}
	p.w.WriteHeader(status)
}

// open makes the reply an event stream.
func (p *reply) open() {
	if p.streaming {
		return
	}
	p.streaming = true
	p.rc = *http.NewResponseController(p.w)
	h := p.w.Header()
	h["Content-Type"] = contentEventStream
	h["Cache-Control"] = noCache
	h["X-Accel-Buffering"] = noBuffering // or a reverse proxy in front holds events back
	p.w.WriteHeader(http.StatusOK)
	p.h.Metrics.Streams(p.kind()).Inc()
}

func (p *reply) kind() metrics.StreamKind {
	if p.method == wire.MethodListen {
		return metrics.StreamListen
	}
	return metrics.StreamExchange
}

func (p *reply) event(msg []byte, newlines bool) {
	p.buf = wire.AppendEvent(p.buf[:0], "", msg, newlines)
	p.put(p.buf)
}

// put sends b off at once. A client that does not read it, or is gone, has cancelled.
func (p *reply) put(b []byte) {
	p.open()
	_, err := p.w.Write(b)
	if err == nil {
		err = p.rc.Flush()
	}
	if err != nil {
		if p.x.Context().Err() == nil {
			p.h.Dropped(metrics.Downstream, metrics.DropSlowReader)
		}
		p.end()
		p.x.End(exchange.ErrCancelled)
		return
	}
}

// end says that nothing more will be said.
func (p *reply) end() {
	if p.ended {
		return
	}
	p.ended = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.streaming {
		p.h.Metrics.Streams(p.kind()).Dec()
	}
}

// release must be called before the handler returns: its connection is not used any
// more. It takes mu itself.
func (p *reply) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}
