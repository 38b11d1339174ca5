package proxy

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Metadata says whether a route publishes who authorizes clients for it (RFC 9728).
type Metadata struct {
	Publish bool
	// Resource is what is published as the resource; "" is the URL that the client
	// dialled.
	Resource string
}

// wellKnownResource is where metadata is: at this path, followed by the resource's own.
const wellKnownResource = "/.well-known/oauth-protected-resource"

// wellKnown serves what is below /.well-known/: metadata by its path, and nothing else.
// It is public, so nobody is asked for a token.
type wellKnown map[string]described

// described is a resource: a route under one of the paths that clients dial.
type described struct {
	route *route
	path  string
}

// newWellKnown finds out who answers where: a route at its own path, and the first of
// them for the origin as a whole.
func newWellKnown(order []Route, routes map[string]*route) wellKnown {
	known := wellKnown{}
	add := func(at string, rt *route, path string) {
		if _, taken := known[wellKnownResource+at]; !taken {
			known[wellKnownResource+at] = described{rt, path}
		}
	}
	var published []*route
	for _, ro := range order {
		if rt := routes[ro.Path]; rt.metadata.Publish {
			published = append(published, rt)
			add(strings.TrimSuffix(rt.path, "/"), rt, rt.path)
		}
	}
	for _, rt := range published {
		add(strings.TrimSuffix(rt.path, "/")+"/", rt, strings.TrimSuffix(rt.path, "/")+"/")
		add(rt.channel, rt, rt.channel)
	}
	for _, rt := range published {
		if rt.resource == nil {
			continue
		}
		// What is in front of the proxy may serve the route under another path.
		if path := strings.TrimSuffix(rt.resource.Path, "/"); routes[path] == nil {
			add(path, rt, rt.path)
		}
	}
	for _, rt := range published {
		add("", rt, rt.path)
	}
	return known
}

// ServeHTTP implements http.Handler.
func (k wellKnown) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d, ok := k[r.URL.Path]
	switch {
	case !ok:
		http.NotFound(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		d.route.describe(w, r, d.path)
	}
}

// describe writes the metadata of the route for clients that dial a path of it.
func (rt *route) describe(w http.ResponseWriter, r *http.Request, path string) {
	document, err := rt.upstream.ResourceMetadata(r.Context())
	switch {
	case err != nil:
		http.Error(w, "the upstream's metadata cannot be fetched now", http.StatusBadGateway)
		return
	case document == nil:
		http.NotFound(w, r)
		return
	}
	resource := rt.metadata.Resource
	if resource == "" {
		resource = origin(r) + path
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-cache") // it depends on the Host, and on a configuration that may change
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(describeResource(document, resource))
}

// describeResource makes of a server's metadata that of another resource. What the
// server signed or can sign with its own keys does not hold for that.
func describeResource(document []byte, resource string) []byte {
	out := wire.AppendQuoted([]byte(`{"resource":`), resource)
	_ = wire.Each(document, func(key string, value []byte) error {
		switch key {
		case "resource", "signed_metadata", "jwks_uri", "jwks", "resource_signing_alg_values_supported":
			return nil
		}
		out = append(wire.AppendQuoted(append(out, ','), key), ':')
		out = append(out, value...)
		return nil
	})
	return append(out, '}')
}

// metadataURL is where a client that sent r finds the route's metadata; "" where none is
// published.
func (rt *route) metadataURL(r *http.Request) string {
	if !rt.metadata.Publish {
		return ""
	}
	if u := rt.resource; u != nil && strings.EqualFold(u.Host, r.Host) {
		// Whoever wrote the resource down knows what is in front of the proxy.
		return u.Scheme + "://" + r.Host + wellKnownResource + strings.TrimSuffix(u.EscapedPath(), "/")
	}
	path := r.URL.Path
	if path == "/" {
		path = ""
	}
	return origin(r) + wellKnownResource + path
}

// origin is what a client dialled, without the path. The guard has judged the Host.
func origin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// resourceURL is a configured resource, or nil.
func resourceURL(s string) *url.URL {
	if u, err := url.Parse(s); err == nil && s != "" {
		return u
	}
	return nil
}
