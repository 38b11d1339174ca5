package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

const healthTimeout = 5 * time.Second

// healthcheck asks the admin listener of a running proxy.
func healthcheck(args []string, s streams) int {
	flags := flag.NewFlagSet("healthcheck", flag.ContinueOnError)
	admin := flags.String("admin", config.Default().Admin.Listen, "")
	if status, done := parse(flags, args, s); done {
		return status
	}
	host, port, err := net.SplitHostPort(*admin)
	if err != nil {
		return misused(s, fmt.Sprintf("healthcheck: %q is no host:port", *admin))
	}
	// The address a proxy listens on may be every one of the machine; it is then asked on loopback.
	if ip, err := netip.ParseAddr(host); host == "" || (err == nil && ip.IsUnspecified()) {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(context.Background(), healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/-/healthy", nil)
	if err != nil {
		return misused(s, fmt.Sprintf("healthcheck: %q is no host:port", *admin))
	}
	resp, err := (&http.Transport{Proxy: nil, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		_, _ = fmt.Fprintln(s.err, err)
		return exitFailed
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		_, _ = fmt.Fprintln(s.err, "the admin listener answers", resp.Status)
		return exitFailed
	}
	return exitDone
}
