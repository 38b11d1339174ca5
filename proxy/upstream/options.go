package upstream

import (
	"crypto/tls"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Options say how a route reaches its server.
type Options struct {
	Route string // path of the route: the log's field "route"
	URL   *url.URL
	Era   Era // Auto finds out by server/discover; Modern and Legacy are taken as said

	Headers       http.Header // go on every request, beside those of the protocol, which they cannot replace
	Authorization Authorization

	Timeout     time.Duration // of silence: to the first byte and between two reads; 0 is none
	CallTimeout time.Duration // the same for the three methods that may ask for input

	ResultTypes     []string // further values of resultType that are final
	MaxMessageBytes int64    // of one message of the server, decoded; 0 is no bound

	// TLS is for an https server; nil is what the system has. TLSPrint tells one from another.
	TLS      *tls.Config
	TLSPrint string

	Version string // of the proxy, for clientInfo of its own requests; may be ""

	Metrics   *metrics.Route                              // nil counts nothing
	Dropped   func(metrics.Direction, metrics.DropReason) // counts messages that are not passed on; may be nil
	Log       *zap.Logger                                 // nil logs nothing
	Transport http.RoundTripper                           // nil makes one of its own
}

// Equal tells whether an Upstream made from o does what one made from p would do, so that it can outlive a reload. Where
// it counts and logs to is not compared.
func (o *Options) Equal(p *Options) bool {
	return o.Route == p.Route && o.URL.String() == p.URL.String() && o.Era == p.Era &&
		maps.EqualFunc(o.Headers, p.Headers, slices.Equal[[]string]) && o.Authorization == p.Authorization &&
		o.Timeout == p.Timeout && o.CallTimeout == p.CallTimeout && slices.Equal(o.ResultTypes, p.ResultTypes) &&
		o.MaxMessageBytes == p.MaxMessageBytes && o.TLSPrint == p.TLSPrint && o.Version == p.Version && o.Transport == p.Transport
}

// patience is how long the server may be silent on a method; 0 is for ever.
func (o *Options) patience(method string) time.Duration {
	if wire.MayAsk(method) {
		return o.CallTimeout
	}
	return o.Timeout
}
