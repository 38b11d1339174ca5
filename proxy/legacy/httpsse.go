package legacy

import (
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Channels are the open streams of the HTTP+SSE transport of 2024-11-05. One table
// serves the process.
type Channels struct {
	mu   sync.Mutex
	open map[string]*channel // by the id in the message endpoint
}

// NewChannels makes an empty table.
func NewChannels() *Channels { return &Channels{open: map[string]*channel{}} }

// maxChannels bounds the table; each holds a connection.
const maxChannels = 20_000

func (t *Channels) add(c *channel) (id string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.open) >= maxChannels {
		return "", false
	}
	id = rand.Text()
	t.open[id] = c
	return id, true
}

func (t *Channels) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.open, id)
}

func (t *Channels) find(id string) *channel {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[id]
}

// channel is one stream of the HTTP+SSE transport. Its session lives with it: it is
// opened by an initialize that comes as a message, and ends with the connection.
type channel struct {
	stream
	ctx        context.Context // the connection's
	route      string
	credential session.Digest // that the stream was opened with
	visitor    *visitor       // nil before initialize
	in         *inbox         // what the server announces to the session
	unhear     func()         // nil before initialize
	opening    bool           // initialize is under way
	running    int            // messages that are being served
	quiet      chan struct{}  // told when running falls to zero
}

// begin notes a message that is being served.
func (c *channel) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running++
}

// done notes that it has been served.
func (c *channel) done() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running--; c.running == 0 {
		select {
		case c.quiet <- struct{}{}:
		default:
		}
	}
}

func (c *channel) isQuiet() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running == 0
}

// claim reserves the channel for the one session that it can have.
func (c *channel) claim() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opening || c.visitor != nil {
		return false
	}
	c.opening = true
	return true
}

// events implements joined.
func (c *channel) events(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil || !c.write(p) {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// body implements joined.
func (c *channel) body(msg []byte) { _, _ = c.events(wire.AppendEvent(nil, "", msg, true)) }

// OpenChannel serves the GET of the HTTP+SSE transport. The first event names the
// endpoint for messages, relative to this one's origin: messages is its path.
func (h *Handler) OpenChannel(w http.ResponseWriter, r *http.Request, messages string) {
	c := &channel{route: h.Route, credential: session.CredentialOf(r.Header.Get("Authorization"))}
	c.in, c.quiet = newInbox(h.Dropped), make(chan struct{}, 1)
	id, ok := h.Channels.add(c)
	if !ok {
		refuse(w, http.StatusServiceUnavailable, nil, wire.CodeInternal, "too many streams are open")
		return
	}
	h.Detached.Reply(w, r, func(ctx context.Context, w http.ResponseWriter) { h.carry(ctx, w, c, id, messages) })
}

// carry serves a channel until its client goes, or the daemon stops.
func (h *Handler) carry(ctx context.Context, w http.ResponseWriter, c *channel, id, messages string) {
	ctx, cancel := context.WithCancel(ctx)
	c.ctx, c.w = ctx, w // before anybody has heard of the id
	gauge := h.Metrics.Streams(metrics.StreamHTTPSSE)
	gauge.Inc()
	defer gauge.Dec()
	defer h.closeChannel(c, id, cancel)
	_, _ = c.events([]byte("event: endpoint\ndata: " + messages + "?sessionId=" + url.QueryEscape(id) + "\n\n"))
	tick := time.NewTicker(h.KeepAlive)
	defer tick.Stop()
	draining := h.Draining
	for {
		select {
		case <-tick.C:
			if !c.alive() {
				return
			}
		case <-c.in.arrived:
			if !c.pass(c.in) {
				return
			}
		case <-draining:
			draining = nil // what runs may still answer on this stream
		case <-c.quiet:
		case <-ctx.Done():
			return
		}
		if draining == nil && c.isQuiet() {
			return
		}
	}
}

// closeChannel ends the session with its stream. Nothing is written to it afterwards:
// events looks at the context while it holds the lock.
func (h *Handler) closeChannel(c *channel, id string, cancel context.CancelFunc) {
	h.Channels.remove(id)
	c.mu.Lock()
	cancel()
	v, unhear := c.visitor, c.unhear
	c.mu.Unlock()
	if v == nil {
		return
	}
	h.Store.End(v.claims.ID, v.claims.Expires(h.MaxAge))
	h.Store.EndSession(v.claims.ID)
	if unhear != nil {
		unhear()
	}
}

// ChannelMessage serves a POST to the message endpoint of the HTTP+SSE transport: 202
// at once, and the reply goes on the stream.
func (h *Handler) ChannelMessage(w http.ResponseWriter, r *http.Request, m *wire.Scanner) {
	id := m.ID.Of(m.Bytes())
	c := h.Channels.find(r.URL.Query().Get("sessionId"))
	if c == nil || c.route != h.Route {
		refuse(w, http.StatusNotFound, id, codeSession, "the stream of this session is not open: connect again")
		return
	}
	v := h.channelVisitor(w, r, m, c)
	if v == nil {
		return
	}
	own := &wire.Scanner{} // the caller's goes back to its pool
	own.Init(wire.FromClient, make([]byte, 0, len(m.Bytes())))
	if own.Feed(m.Bytes()) != nil || own.End() != nil {
		return // it was well a moment ago
	}
	on := r.Clone(c.ctx)
	on.Header = http.Header{"Accept": contentEventStream, "Authorization": r.Header["Authorization"]}
	c.begin()
	go h.serveChannel(c, on, own, v)
	w.WriteHeader(http.StatusAccepted)
}

// serveChannel serves one message on its stream.
func (h *Handler) serveChannel(c *channel, r *http.Request, msg *wire.Scanner, v *visitor) {
	defer c.done()
	m := newMember(c)
	switch {
	case msg.Kind == wire.Request && msg.MethodName() == wire.MethodInitialize:
		h.contain(m, msg, func() { h.openSession(c, m, r, msg, v) })
	case msg.Kind == wire.Request && msg.MethodName() == wire.MethodPing && v.claims == nil:
		h.pong(m, msg.ID.Of(msg.Bytes()))
		m.end()
	default:
		h.serve(m, r, msg, v)
	}
}

// openSession opens the session of a stream. The response is a body, which goes down
// when the session is there: the client's next message may follow at once.
func (h *Handler) openSession(c *channel, m *member, r *http.Request, msg *wire.Scanner, v *visitor) {
	if !c.claim() {
		m.refuse(msg.ID.Of(msg.Bytes()), "this stream has its session: open another for another")
		return
	}
	r.Header.Set("Accept", contentJSON[0])
	claims := h.initialize(m, r, msg)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opening = false
	if claims == nil {
		return
	}
	c.visitor = &visitor{claims: claims, credential: v.credential}
	if c.ctx.Err() == nil {
		c.unhear = h.hear(c.visitor, c.in)
	}
}

// channelVisitor finds out who posts a message. When there is no session yet, it is
// one without claims, which may only initialize and ping.
func (h *Handler) channelVisitor(w http.ResponseWriter, r *http.Request, m *wire.Scanner, c *channel) *visitor {
	id := m.ID.Of(m.Bytes())
	c.mu.Lock()
	known := c.visitor
	c.mu.Unlock()
	v := &visitor{}
	v.credential.Authorization = r.Header.Get("Authorization")
	v.credential.Digest = session.CredentialOf(v.credential.Authorization)
	method := m.MethodName()
	switch {
	case known != nil:
		v.claims = known.claims
		if !h.belongs(v) {
			refuse(w, http.StatusNotFound, id, codeSession, "the stream of this session is not open: connect again")
			return nil
		}
	case v.credential.Digest != c.credential && h.Binding != session.BindNone:
		refuse(w, http.StatusNotFound, id, codeSession, "the stream of this session is not open: connect again")
		return nil
	case m.Kind == wire.Request && (method == wire.MethodInitialize || method == wire.MethodPing):
	default:
		refuse(w, http.StatusBadRequest, id, wire.CodeInvalidRequest, "no session: send initialize first")
		return nil
	}
	return v
}
