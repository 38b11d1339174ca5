package modern

import (
	"io"
	"net/http"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Waiting implements exchange.Client: nobody is asked on this stream.
func (p *reply) Waiting([]resolver.Ask) {}

// Resumed implements exchange.Client.
func (p *reply) Resumed() {}

// Status implements upstream.StatusSink.
func (p *reply) Status(code int) { p.status = code }

// Notify implements upstream.Sink.
func (p *reply) Notify(m *wire.Scanner) {
	if !p.stream {
		p.h.Dropped(metrics.Downstream, metrics.DropNoStream)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	msg := m.Bytes()
	switch {
	case m.MethodName() == wire.NotifyProgress:
		if msg = p.progress.translate(m); msg == nil {
			p.h.Dropped(metrics.Downstream, metrics.DropUnmatched)
			return
		}
	case p.method == wire.MethodListen:
		msg = m.AppendAddressed(nil, p.id, nil, nil)
	}
	p.event(msg, m.Newlines)
}

// Reply implements upstream.Sink: the response goes down with the client's own id.
func (p *reply) Reply(m *wire.Scanner) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil
	}
	switch changed := p.changed(m); {
	case changed != nil:
		p.respond(http.StatusOK, changed, m.Newlines)
	case p.streaming:
		p.event(m.AppendReply(nil, p.id), m.Newlines)
		p.end()
	default:
		p.json(p.statusOf(m), int64(m.ReplySize(len(p.id))))
		err := m.WriteReply(p.w, p.id)
		p.end()
		return err
	}
	return nil
}

// changed is a whole response that cannot pass with its own bytes, or nil.
func (p *reply) changed(m *wire.Scanner) []byte {
	if m.Kind != wire.Result {
		return nil
	}
	switch p.method {
	case wire.MethodListen:
		return m.AppendAddressed(nil, p.id, nil, nil)
	case wire.MethodDiscover:
		if result := discovery(m.Result.Of(m.Bytes())); result != nil {
			return wire.Splice(nil, m.Bytes(), edits(wire.Edit{Span: m.ID, With: p.id}, wire.Edit{Span: m.Result, With: result}))
		}
	}
	return nil
}

func edits(a, b wire.Edit) []wire.Edit {
	if b.Lo < a.Lo {
		a, b = b, a
	}
	return []wire.Edit{a, b}
}

// statusOf is the HTTP status for a response of the server.
func (p *reply) statusOf(m *wire.Scanner) int {
	if m.Kind != wire.ErrorResponse {
		return http.StatusOK
	}
	if p.status > 299 {
		return p.status
	}
	code, _ := strconv.Atoi(string(wire.Get(m.Error.Of(m.Bytes()), "code")))
	return statusOfCode(code)
}

// Stream implements upstream.Sink: a long response is passed on in pieces.
func (p *reply) Stream(size int64) (io.Writer, []byte, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.streaming || p.method == wire.MethodDiscover {
		return nil, nil, false
	}
	p.json(http.StatusOK, size+int64(len(p.id)))
	p.long = true
	p.end() // what else would be said is the pieces
	return p.w, p.id, true
}
