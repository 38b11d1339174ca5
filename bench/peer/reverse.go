package peer

import (
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// Reverse is the yardstick: the standard library's reverse proxy, which does nothing
// but pass on, with what one has to set for it not to fall behind: connections are
// kept, buffers are pooled, and a reply may begin before the request was read.
func Reverse(upstream string) (http.Handler, error) {
	to, err := url.Parse(upstream)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{
		Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:  transport(),
		BufferPool: &buffers{},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Or net/http closes the request's body when the reply begins, and the
		// transport, which has not seen its end yet, gives up the connection.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	}), nil
}

// transport keeps as many connections as callers ever need.
func transport() *http.Transport {
	return &http.Transport{MaxIdleConnsPerHost: 4096, IdleConnTimeout: time.Minute, DisableCompression: true}
}

// buffers implements httputil.BufferPool.
type buffers struct{ pool sync.Pool }

const copySize = 32 << 10

func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[]byte); ok {
		return *p
	}
	return make([]byte, copySize)
}

func (b *buffers) Put(p []byte) { b.pool.Put(&p) }
