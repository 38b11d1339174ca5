package upstream

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 5

// exchange sends the request to the server's address and follows it when it is sent on within its origin: with a 307 or 308
// everything goes again, the credential too, so no other origin ever gets it. What one request was told is its own: where
// others go stays as it is configured.
func (a *attempt) exchange(r *transport.Request) (*transport.Response, *Error) {
	for range maxRedirects + 1 {
		resp, err := a.u.transport.Send(a.ctx, r, a.u.o.patience(a.call.Method))
		if err != nil {
			return nil, a.unanswered(err)
		}
		a.status = resp.StatusCode
		if resp.StatusCode < 300 || resp.StatusCode > 399 {
			return resp, nil
		}
		next, fault := a.redirect(resp.Response, r.URL)
		settle(resp)
		if fault != nil {
			return nil, fault
		}
		again := *r
		again.URL, r = next, &again
	}
	return nil, a.fail(Redirect, "upstream redirects without end")
}

// redirect is where a redirect leads to, if it is one that may be followed.
func (a *attempt) redirect(resp *http.Response, from *url.URL) (*url.URL, *Error) {
	location := resp.Header.Get("Location")
	if location == "" {
		return nil, a.fail(Status, a.statusText())
	}
	next, err := from.Parse(location)
	if err != nil {
		return nil, a.fail(Redirect, "upstream redirects to no address")
	}
	if permanent := resp.StatusCode == http.StatusPermanentRedirect; !permanent && resp.StatusCode != http.StatusTemporaryRedirect ||
		!sameOrigin(from, next) || next.User != nil {
		shown := url.URL{Scheme: next.Scheme, Host: next.Host, Path: next.Path}
		return nil, a.fail(Redirect, a.statusText()+": a redirect to "+wire.Clean(shown.String(), 100)+" that is not followed")
	}
	next.Fragment, next.RawFragment = "", ""
	return next, nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
