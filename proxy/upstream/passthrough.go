package upstream

import (
	"errors"
	"net/http"
	"net/http/httputil"
	"net/url"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// PassThrough is a transparent, streaming reverse proxy to the server, for one that turned out to be a legacy one: its
// sessions, streams and questions are between it and the client. Only credentials follow the route's rules. failed writes
// the reply when the server cannot be reached. metadata tells where challenges lead to, as for Error.Challenges; it gets a
// request with the context of the client's.
func (u *Upstream) PassThrough(failed func(http.ResponseWriter, *http.Request, *Error), metadata func(*http.Request) string) http.Handler {
	return &httputil.ReverseProxy{
		Transport:     u.library,
		FlushInterval: -1, // events go down as they come
		Rewrite:       u.rewrite,
		ModifyResponse: func(resp *http.Response) error {
			if resp.StatusCode >= 300 && resp.StatusCode < 400 {
				// The client would follow it past the proxy, with what it shows here.
				return errMoved
			}
			return u.passChallenge(resp, metadata)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			e := &Error{Reason: Dial, Code: wire.CodeInternal, Message: "upstream cannot be reached", cause: err}
			switch {
			case errors.Is(err, errMoved):
				e.Reason, e.Message = Redirect, "upstream answered with a redirect, which is not followed"
			case errors.Is(err, errOwnCredential):
				e.Reason, e.Message = OwnCredential, u.o.Authorization.refusedText()+" (HTTP 401)"
			}
			if r.Context().Err() == nil {
				u.log.Warn("a request could not be passed through", zap.Error(err))
			}
			failed(w, r, e)
		},
		ErrorLog: nil,
	}
}

var (
	errMoved         = errors.New("a redirect")
	errOwnCredential = errors.New("the route's own credential was refused")
)

// rewrite makes the client's request one to the server's endpoint. Host and Origin have been judged here and mean nothing
// there.
func (u *Upstream) rewrite(r *httputil.ProxyRequest) {
	to := *u.o.URL
	to.RawQuery = joinQuery(to.RawQuery, r.In.URL)
	r.Out.URL, r.Out.Host = &to, to.Host
	h := r.Out.Header
	h.Del("Origin")
	if u.o.Authorization.rule != ruleForward {
		h.Del("Authorization")
	}
	for k, v := range u.o.Headers {
		if k = http.CanonicalHeaderKey(k); k == "Host" && len(v) > 0 {
			r.Out.Host = v[0]
			continue
		}
		h[k] = v
	}
	if u.o.Authorization.rule == ruleFixed {
		h.Set("Authorization", u.o.Authorization.value)
	}
}

func joinQuery(own string, in *url.URL) string {
	switch {
	case own == "":
		return in.RawQuery
	case in.RawQuery == "":
		return own
	}
	return own + "&" + in.RawQuery
}
