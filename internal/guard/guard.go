// Package guard decides by Host and Origin who may talk to a listener at all.
//
// A page in a browser can reach a loopback address, by its own name (DNS rebinding, then Host is the page's) or across
// origins (then Origin is). Both are refused with 403, on every method and before anything else looks at the request
// (MCP, Streamable HTTP transport, "Security Warning").
package guard

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// The reasons for a refusal.
var (
	ErrHost   = errors.New("host not allowed")
	ErrOrigin = errors.New("origin not allowed")
)

// Options say who passes beside loopback names.
type Options struct {
	AllowedHosts    []string // host (then with any port) or host:port; letter case does not count
	AllowedOrigins  []string // scheme://host[:port]; letter case does not count
	LoopbackOrigins bool     // origins on a loopback name pass, on any port
}

// Guard checks requests. It is immutable.
type Guard struct {
	hosts    map[string]bool
	origins  map[string]bool
	loopback bool
}

// New makes a Guard.
func New(o Options) *Guard {
	g := &Guard{hosts: map[string]bool{}, origins: map[string]bool{}, loopback: o.LoopbackOrigins}
	for _, h := range o.AllowedHosts {
		if name, port, ok := splitHost(strings.ToLower(h)); ok {
			g.hosts[hostKey(name, port)] = true
		}
	}
	for _, origin := range o.AllowedOrigins {
		g.origins[strings.ToLower(origin)] = true
	}
	return g
}

// Check gives ErrHost, ErrOrigin or nil. The request must come from an http.Server, which says what address it came in
// on; without that only allowed hosts pass.
func (g *Guard) Check(r *http.Request) error {
	if !g.allowsHost(r) {
		return ErrHost
	}
	if origin := r.Header["Origin"]; len(origin) > 0 && (len(origin) > 1 || !g.allowsOrigin(origin[0])) {
		return ErrOrigin
	}
	return nil
}

// Handler lets through what passes Check and answers 403 to the rest.
func (g *Guard) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := g.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *Guard) allowsHost(r *http.Request) bool {
	name, port, ok := splitHost(strings.ToLower(r.Host))
	if !ok {
		return false
	}
	if port == "" { // as the scheme has it
		if port = "80"; r.TLS != nil {
			port = "443"
		}
	}
	if g.hosts[hostKey(name, "")] || g.hosts[hostKey(name, port)] {
		return true
	}
	at := localAddress(r)
	var digits [5]byte
	if !at.IsValid() || port != string(strconv.AppendUint(digits[:0], uint64(at.Port()), 10)) {
		return false
	}
	return isLoopback(name) || isAddress(name, at.Addr())
}

// localAddress is the address that a request came in on; not valid when there is none.
func localAddress(r *http.Request) netip.AddrPort {
	switch local := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr: // as from every listener here: its text need not be made and read again
		return local.AddrPort()
	case net.Addr:
		at, _ := netip.ParseAddrPort(local.String())
		return at
	}
	return netip.AddrPort{}
}

func (g *Guard) allowsOrigin(origin string) bool {
	origin = strings.ToLower(origin)
	if g.origins[origin] {
		return true
	}
	if !g.loopback {
		return false
	}
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Scheme+"://"+u.Host != origin {
		return false
	}
	name, _, ok := splitHost(u.Host)
	return ok && isLoopback(name)
}

// hostKey is how a host is known to a Guard; without a port it stands for all of them.
func hostKey(name, port string) string { return name + " " + port }

// splitHost takes a Host header apart. The name is without brackets and final dot; the port may be absent.
func splitHost(host string) (name, port string, ok bool) {
	name = host
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		name, port = host[:i], host[i+1:]
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", "", false
		}
	}
	if inner, found := strings.CutPrefix(name, "["); found {
		if inner, found = strings.CutSuffix(inner, "]"); !found {
			return "", "", false
		}
		addr, err := netip.ParseAddr(inner)
		return addr.String(), port, err == nil && addr.Is6()
	}
	name = strings.TrimSuffix(name, ".")
	return name, port, name != "" && !strings.ContainsAny(name, ":[]/@ ")
}

// IsHost reports whether s is a host or host:port that a Host header can name.
func IsHost(s string) bool {
	_, _, ok := splitHost(s)
	return ok
}

func isLoopback(name string) bool {
	if name == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Zone() == "" && addr.Unmap().IsLoopback()
}

func isAddress(name string, at netip.Addr) bool {
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.WithZone("").Unmap() == at.WithZone("").Unmap()
}

// IsLoopbackPeer reports whether a request comes from this machine.
func IsLoopbackPeer(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// IsLoopbackListener reports whether only this machine can reach a host:port to listen on.
func IsLoopbackListener(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && isLoopback(strings.ToLower(host))
}
