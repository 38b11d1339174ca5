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
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// Upstream is one route's server. It is safe for concurrent use.
type Upstream struct {
	o         Options
	transport *transport.Transport // of attempts
	library   http.RoundTripper    // below it, and of everything else
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
	u := &Upstream{o: o, library: o.Transport, log: o.Log, accepted: newRecent[session.Digest, bool](acceptedMax)}
	if u.library != nil {
		u.transport = transport.Over(u.library)
	} else {
		t := newTransport(o.TLS)
		u.transport, u.library = transport.New(o.URL, t), t
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
	if u.o.Transport == nil {
		u.transport.CloseIdleConnections()
	}
}

// newTransport makes the library's transport for one server. Compression is left to this package: the transport would undo
// it without a bound, and only when it asked for it.
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
