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
	if p.streaming = true; p.gone {
		return // it went before it could learn how to come back
	}
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
	p.shallow(func() {
		if p.enqueue(msg, newlines) {
			p.put(nil)
		}
	})
}

// enqueue is event for a message that others may follow at once: it goes off with them.
func (p *reply) enqueue(msg []byte, newlines bool) bool {
	if p.ended {
		return false
	}
	p.open()
	p.buf = wire.AppendEvent(p.led(), p.replay.name(), msg, newlines)
	p.keep(p.buf)
	return p.connected() && p.held(p.queue(p.buf))
}

// last writes the response and ends the stream. Only a client that is gone can still
// miss it, so it is kept for nobody else. It goes off when the handler returns, which
// is next.
func (p *reply) last(msg []byte, newlines bool) {
	p.leave()
	p.open()
	b := wire.AppendEvent(p.led(), p.replay.name(), msg, newlines)
	if p.over != nil { // another handler's connection: this one's return sends nothing off
		p.delivered = p.put(b)
	} else {
		p.delivered = p.connected() && p.held(p.queue(b))
	}
	if !p.delivered {
		p.keep(b)
	}
	p.end()
}

// keep keeps an event for a client that has to come back for it, as long as there is
// room for what all clients may come back for.
func (p *reply) keep(event []byte) {
	if p.replay.id == "" {
		return
	}
	before := len(p.replay.log)
	p.replay.keep(event)
	if p.h.Streams.kept.Add(int64(len(p.replay.log)-before)) > maxKept {
		p.h.Dropped(metrics.Downstream, metrics.DropOverflow)
		p.forget()
	}
}

// put sends b off to the client, if it has a connection; that it breaks is noted.
func (p *reply) put(b []byte) bool { return p.connected() && p.held(p.write(b)) }

func (p *reply) connected() bool { return !p.gone }

// held notes that a connection has broken when a write to it was not taken.
func (p *reply) held(taken bool) bool {
	if !taken {
		p.lose()
	}
	return taken
}

// count counts the stream in or out.
func (p *reply) count(by float64) {
	if in := by > 0; in != p.counted {
		p.counted = in
		p.h.Metrics.Streams(metrics.StreamExchange).Add(by)
	}
}
