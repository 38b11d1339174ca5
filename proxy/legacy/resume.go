package legacy

import (
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
)

// resume goes on with a reply whose connection broke, on the connection of a GET with
// Last-Event-ID: what the client has missed, then what is to come. It is false when
// there is no such stream of this session, or none any more.
func (h *Handler) resume(w http.ResponseWriter, r *http.Request, v *visitor) bool {
	id, n, ok := parseEventID(r.Header.Get("Last-Event-Id"))
	if !ok {
		return false
	}
	p := h.Streams.find(id)
	if p == nil || p.session != v.claims.ID {
		return false
	}
	over := p.attach(w, n)
	select {
	case <-over:
	case <-r.Context().Done():
	}
	p.detach(w)
	return true
}

// attach moves a reply onto another connection. The channel is closed when nothing
// more will come on it. A connection that the reply still had is stale: only its
// client could know that it broke.
func (p *reply) attach(w http.ResponseWriter, n int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hangUp()
	over := make(chan struct{})
	p.over = over
	p.gone, p.begun, p.headed = false, false, false
	p.w = w
	p.count(1)
	written := p.put(p.replay.after(n))
	switch {
	case !p.ended:
		if written {
			p.timer.Reset(p.h.KeepAlive)
		}
	case written:
		p.delivered = true
		p.timer.Stop()
		p.forget()
		p.hangUp()
	default:
		p.hangUp()
	}
	return over
}

// detach ends the use of a connection before its handler returns.
func (p *reply) detach(w http.ResponseWriter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w == w {
		p.lose()
	}
}

// dropped is called when a connection has broken. A legacy client that drops its
// stream has not cancelled; one whose reply never became a stream cannot come back.
func (p *reply) dropped(w http.ResponseWriter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.w != w || p.ended {
		return
	}
	p.lose()
	if !p.awaited() {
		p.x.End(exchange.ErrDropped)
	}
}

// lose notes that the client has no connection to the reply. While the window is open
// it may come back; what is not awaited then is over. mu is held.
func (p *reply) lose() {
	if p.gone {
		return
	}
	p.gone = true
	p.count(-1)
	if p.awaited() {
		p.until = time.Now().Add(p.h.ResumeWindow)
		p.timer.Reset(p.h.ResumeWindow)
	} else {
		p.timer.Stop()
	}
}

// awaited tells whether the client may come back for the reply. mu is held.
func (p *reply) awaited() bool { return p.streaming && p.gone && !p.delivered && p.replay.id != "" }

// hangUp lets the GET go that the reply has been moved onto. mu is held.
func (p *reply) hangUp() {
	if p.over != nil {
		close(p.over)
		p.over = nil
	}
}

// forget takes the reply out of the table: it cannot be resumed any more. mu is held.
func (p *reply) forget() {
	if p.replay.id != "" {
		p.h.Streams.remove(p.replay.id)
		p.h.Streams.kept.Add(-int64(len(p.replay.log)))
		p.replay = replay{}
	}
}
