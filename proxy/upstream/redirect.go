package upstream

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 5

// exchange sends the request to where the server is known to be and follows it when it moves within its origin: with a
// 307 or 308 everything goes again, the credential too, so no other origin ever gets it.
func (a *attempt) exchange(g *outgoing) (*http.Response, *Error) {
	target, moved := a.u.o.URL, a.u.moved.Load()
	if moved != nil {
		target = moved
	}
	a.moved = moved != nil
	for range maxRedirects + 1 {
		resp, err := a.u.transport.RoundTrip(g.to(a.watch.ctx, target))
		if err != nil {
			return nil, a.unanswered(err)
		}
		a.watch.heard()
		a.status = resp.StatusCode
		if resp.StatusCode < 300 || resp.StatusCode > 399 {
			if target != moved && target != a.u.o.URL && a.success() {
				a.u.moved.Store(target)
			}
			return resp, nil
		}
		next, fault := a.redirect(resp, target)
		discard(resp)
		if fault != nil {
			return nil, fault
		}
		target = next
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

// forgetMove goes back to the configured address when the one a redirect led to no longer works.
func (a *attempt) forgetMove(err *Error) {
	if !a.moved || err == nil {
		return
	}
	switch err.Reason {
	case Dial, Redirect:
	case Status:
		if err.Status != http.StatusNotFound && err.Status != http.StatusMethodNotAllowed && err.Status != http.StatusGone && err.Status != http.StatusMisdirectedRequest {
			return
		}
	default:
		return
	}
	a.u.moved.Store(nil)
}
