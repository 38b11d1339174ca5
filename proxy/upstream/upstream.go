package upstream

import (
	"context"
	"crypto/tls"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/direct"
)

// Upstream is one route's server. It is safe for concurrent use.
type Upstream struct {
	o         Options
	transport http.RoundTripper // of attempts
	library   http.RoundTripper // of what is not ours: legacy servers' messages
	log       *zap.Logger

	lastID   atomic.Uint64 // ids are never used twice
	attempts sync.Pool     // of *attempt
	accepted *recent[session.Digest, bool]
	base     headers

	verdict  verdict
	views    views
	tools    tools
	lists    Lists
	resource resource
	hub      *Hub

	closed context.Context // ends with Close
	close  context.CancelFunc
}

// New makes an Upstream; nothing is sent before it is used. Close must be called when it is used no longer.
func New(o Options) *Upstream {
	u := &Upstream{o: o, transport: o.Transport, log: o.Log, accepted: newRecent[session.Digest, bool](acceptedMax)}
	if u.library = o.Transport; u.library == nil {
		u.transport, u.library = newTransports(&o)
	}
	if u.log == nil {
		u.log = zap.NewNop()
	}
	u.log = u.log.With(zap.String("route", o.Route))
	u.lastID.Store(rand.Uint64N(1 << 40)) // an Upstream that follows another after a reload starts elsewhere
	u.base = newHeaders(&o)
	u.verdict.era = o.Era
	u.views.init()
	u.tools.init()
	u.lists.init()
	u.accepted.onForgetting = func() { u.log.Warn("so many credentials are in use that accepted ones are forgotten") }
	u.views.private.onForgetting = func() { u.log.Warn("so many credentials are in use that their views are forgotten") }
	u.tools.private.onForgetting = func() { u.log.Warn("so many credentials are in use that their tools' headers are forgotten") }
	u.closed, u.close = context.WithCancel(context.Background())
	u.hub = newHub(u)
	u.countEra(o.Era)
	return u
}

// Close ends probes, listings and listens that are under way, and closes idle connections. Attempts that run go on.
func (u *Upstream) Close() {
	u.close()
	u.hub.close()
	if t, ok := u.transport.(interface{ CloseIdleConnections() }); ok && u.o.Transport == nil {
		t.CloseIdleConnections()
	}
}

// newTransports makes the transports for one server: that of attempts, and net/http's. Compression is left to this package:
// the transport would undo it without a bound, and only when it asked for it.
func newTransports(o *Options) (attempts, library http.RoundTripper) {
	t := newTransport(o.TLS)
	if d := direct.New(o.URL, t); d != nil {
		return d, t
	}
	return t, t
}

func newTransport(c *tls.Config) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        c,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    4096,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}
