package upstream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// wellKnownResource is where protected-resource metadata is (RFC 9728, section 3): at this path, followed by the
// resource's own.
const wellKnownResource = "/.well-known/oauth-protected-resource"

const (
	maxResourceMetadata  = 64 << 10         // bytes of the document
	resourceMetadataTime = 5 * time.Second  // for each of its places
	resourceFor          = 5 * time.Minute  // a document is kept
	noResourceFor        = 30 * time.Second // that there is none is remembered
	failedResourceFor    = 5 * time.Second  // a failure is
)

// resource is what is known of the server's protected-resource metadata.
type resource struct {
	mu     sync.Mutex
	last   *resourceFlight // the last that ended; nil before
	until  time.Time       // what it brought is good
	flight *resourceFlight // under way; nil when none is
}

// resourceFlight is one look for the document; the results are set when done is closed.
type resourceFlight struct {
	done     chan struct{}
	document []byte
	err      error
}

// ResourceMetadata is the protected-resource metadata that the server publishes, as it wrote it: a JSON object without
// repeated members, or nil when it publishes none. It is looked for at the well-known paths of the configured URL's origin
// and nowhere else, without anybody's credential. An error is a temporary one. Callers that come together share one look.
func (u *Upstream) ResourceMetadata(ctx context.Context) ([]byte, error) {
	r := &u.resource
	r.mu.Lock()
	f := r.flight
	switch {
	case f != nil:
	case r.last != nil && time.Now().Before(r.until):
		f = r.last
	default:
		f = &resourceFlight{done: make(chan struct{})}
		r.flight = f
		go u.look(f)
	}
	r.mu.Unlock()
	select {
	case <-f.done:
		return f.document, f.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// look looks for the document. It belongs to none of those who wait for it.
func (u *Upstream) look(f *resourceFlight) {
	keep := noResourceFor
	for _, at := range resourcePlaces(u.o.URL) {
		document, err := u.fetchResource(at)
		if document != nil {
			f.document, f.err, keep = document, nil, resourceFor
			break
		}
		if err != nil && f.err == nil {
			f.err, keep = err, failedResourceFor
		}
	}
	if f.err != nil {
		u.log.Warn("the server's protected-resource metadata could not be fetched", zap.Error(f.err))
	}
	r := &u.resource
	r.mu.Lock()
	r.last, r.until, r.flight = f, time.Now().Add(keep), nil
	r.mu.Unlock()
	close(f.done)
}

// resourcePlaces are the URLs at which a server's metadata may be: for its path first, then for its origin as a whole.
func resourcePlaces(server *url.URL) []*url.URL {
	root := &url.URL{Scheme: server.Scheme, Host: server.Host, Path: wellKnownResource}
	if server.Path == "" || server.Path == "/" {
		return []*url.URL{root}
	}
	own := *root
	own.Path += server.Path
	if server.RawPath != "" {
		own.RawPath = wellKnownResource + server.RawPath
	}
	return []*url.URL{&own, root}
}

// fetchResource fetches the document from one place. It is nil without an error when there certainly is none.
func (u *Upstream) fetchResource(at *url.URL) ([]byte, error) {
	ctx, cancel := context.WithTimeout(u.closed, resourceMetadataTime)
	defer cancel()
	header := http.Header{}
	for name, values := range u.o.Headers {
		if name = http.CanonicalHeaderKey(name); name != "Host" && name != "Authorization" {
			header[name] = values
		}
	}
	header.Set("Accept", "application/json")
	header.Set("Accept-Encoding", "identity")
	header["User-Agent"] = u.base.common["User-Agent"]
	request := (&http.Request{
		Method: http.MethodGet, URL: at, Host: u.base.host,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: header,
	}).WithContext(ctx)
	response, err := u.library.RoundTrip(request) // which follows no redirect
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	switch status := response.StatusCode; {
	case status >= 500, status >= 400 && !tells(status):
		return nil, fmt.Errorf("HTTP %d", status)
	case status != http.StatusOK:
		return nil, nil
	}
	document, err := io.ReadAll(io.LimitReader(response.Body, maxResourceMetadata+1))
	if err != nil {
		return nil, err
	}
	document = bytes.TrimPrefix(document, []byte("\ufeff"))
	if why := notMetadata(document); why != "" {
		u.log.Warn("what the server has as protected-resource metadata is none", zap.String("path", at.Path), zap.String("why", why))
		return nil, nil
	}
	return document, nil
}

// notMetadata tells what is wrong with a document, or nothing.
func notMetadata(document []byte) string {
	switch {
	case len(document) > maxResourceMetadata:
		return "it is too long"
	case wire.ValidateStrict(document) != nil:
		return "it is no valid JSON"
	case wire.KindOf(document) != '{':
		return "it is no object"
	}
	return ""
}
