package legacy

import (
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// open makes the reply an event stream.
func (p *reply) open() {
	if p.streaming {
		return
	}
	p.streaming = true
	p.count(1)
	if _, shared := p.w.(*member); shared || p.h.ResumeWindow <= 0 || p.version < wire.V20250326 {
		return
	}
	p.replay.id = p.h.Streams.add(p)
	if p.replay.id != "" && p.version >= wire.V20251125 {
		// An event without data, so that the client can come back before the first
		// one. Clients of older revisions fail on it.
		p.lead = append(append([]byte("id: "), p.replay.id...), "-0\nretry: 1000\ndata: \n\n"...)
	}
}

// led is an empty buffer, but for what goes before the first event.
func (p *reply) led() []byte {
	b := append(p.buf[:0], p.lead...)
	p.lead = nil
	return b
}

// event writes one message, and keeps it for a client that has to come back for it.
func (p *reply) event(msg []byte, newlines bool) {
	if p.ended {
		return
	}
	p.open()
	p.buf = wire.AppendEvent(p.led(), p.replay.name(), msg, newlines)
	p.replay.keep(p.buf)
	p.put(p.buf)
}

// last writes the response and ends the stream. Only a client that is gone can still
// miss it, so it is kept for nobody else.
func (p *reply) last(msg []byte, newlines bool) {
	p.leave()
	p.open()
	b := wire.AppendEvent(p.led(), p.replay.name(), msg, newlines)
	p.delivered = p.put(b)
	if !p.delivered {
		p.replay.keep(b)
	}
	p.end()
}

// put writes to the client, if it has a connection; that it breaks is noted.
func (p *reply) put(b []byte) bool {
	if p.gone {
		return false
	}
	if p.write(b) {
		return true
	}
	p.lose()
	return false
}

// count counts the stream in or out.
func (p *reply) count(by float64) {
	if in := by > 0; in != p.counted {
		p.counted = in
		p.h.Metrics.Streams(metrics.StreamExchange).Add(by)
	}
}
