package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
)

// maxShown is how much of a bad value a problem repeats, in bytes.
const maxShown = 100

// quoted repeats a bad value in a problem.
func quoted(s string) string {
	if len(s) > maxShown {
		s = s[:maxShown] + "…"
	}
	return strconv.Quote(s)
}

// shown writes a text as YAML.
func shown(s string) string {
	if s == "" {
		return `""`
	}
	return s
}

// boolean is true or false.
func boolean(dst *bool) kind {
	return scalar[bool]{dst, "bool", func(s string) (bool, string) {
		if s != "true" && s != "false" {
			return false, quoted(s) + " is neither true nor false"
		}
		return s == "true", ""
	}, strconv.FormatBool}
}

// count is a whole number of at least least.
func count(dst *int, least int) kind {
	return scalar[int]{dst, "int", func(s string) (int, string) {
		n, err := strconv.Atoi(s)
		if err != nil {
			return 0, quoted(s) + " is no whole number"
		}
		if n < least {
			return 0, fmt.Sprintf("%d is less than %d", n, least)
		}
		return n, ""
	}, strconv.Itoa}
}

// duration is a time of at least least, in units from ns to h.
func duration(dst *time.Duration, least time.Duration) kind {
	return scalar[time.Duration]{dst, "duration", func(s string) (time.Duration, string) {
		d, err := time.ParseDuration(s)
		if err != nil {
			return 0, quoted(s) + " is no duration such as 200ms, 30s, 5m or 168h"
		}
		if d < least {
			return 0, fmt.Sprintf("%s is less than %s", d, least)
		}
		return d, ""
	}, showDuration}
}

// showDuration leaves out the zero units that String ends with, and says 60s.
func showDuration(d time.Duration) string {
	if d == time.Minute {
		return "60s"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// unit is a unit of sizes, in bytes.
type unit struct {
	name  string
	bytes int64
}

// sizeUnits are all units, the longer names of an ending first.
func sizeUnits() []unit {
	return []unit{
		{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
		{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1},
	}
}

// size is a number of bytes, at least 1.
func size(dst *int64) kind {
	return scalar[int64]{dst, "size", parseSize, func(n int64) string {
		s := strconv.FormatInt(n, 10)
		for _, u := range sizeUnits()[:3] {
			if n%u.bytes == 0 && n > 0 {
				s = strconv.FormatInt(n/u.bytes, 10) + u.name
			}
		}
		return s
	}}
}

func parseSize(s string) (int64, string) {
	digits, factor := s, int64(1)
	for _, u := range sizeUnits() {
		if number, ok := strings.CutSuffix(s, u.name); ok {
			digits, factor = number, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil:
		return 0, quoted(s) + " is no size such as 65536, 64KiB, 4MiB or 1GB"
	case n < 1:
		return 0, s + " is less than 1"
	case n > math.MaxInt64/factor:
		return 0, quoted(s) + " is too big"
	}
	return n * factor, ""
}

// oneOf is one of a few words.
func oneOf[T ~string](dst *T, choices ...T) kind {
	words := make([]string, len(choices))
	for i, c := range choices {
		words[i] = string(c)
	}
	return scalar[T]{dst, strings.Join(words, "|"), func(s string) (T, string) {
		if !slices.Contains(choices, T(s)) {
			return "", fmt.Sprintf("%s is none of %s", quoted(s), strings.Join(words, ", "))
		}
		return T(s), ""
	}, func(t T) string { return string(t) }}
}

// address is a host:port to listen on; without a host it is every address of the machine.
func address(dst *string) kind {
	return scalar[string]{dst, "address", func(s string) (string, string) {
		host, port, err := net.SplitHostPort(s)
		if err == nil {
			_, err = strconv.ParseUint(port, 10, 16)
		}
		if err != nil || strings.ContainsAny(host, " /@") {
			return "", quoted(s) + " is no host:port"
		}
		return s, ""
	}, shown}
}

// host is a host, or host:port, as a Host header has it.
func host(dst *string) kind {
	return scalar[string]{dst, "host", func(s string) (string, string) {
		if strings.Contains(s, "*") || !guard.IsHost(s) {
			return "", quoted(s) + " is no host or host:port"
		}
		return strings.ToLower(s), ""
	}, shown}
}

// origin is a scheme://host[:port], as an Origin header has it.
func origin(dst *string) kind {
	return scalar[string]{dst, "origin", func(s string) (string, string) {
		u, err := url.Parse(s)
		if err != nil || u.Scheme == "" || u.Host == "" || !strings.EqualFold(u.Scheme+"://"+u.Host, s) || strings.Contains(s, "*") {
			return "", quoted(s) + " is no origin such as https://app.example or http://app.example:3000"
		}
		return strings.ToLower(s), ""
	}, shown}
}

// server is the URL of an upstream. A problem does not repeat it: it may hold a credential.
func server(dst **url.URL) kind {
	return scalar[*url.URL]{dst, "url", func(s string) (*url.URL, string) {
		u, err := url.Parse(s)
		switch {
		case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
			return nil, "is no http or https URL"
		case u.User != nil:
			return nil, "may not hold a user or password, use authorization"
		case u.Fragment != "":
			return nil, "may not have a fragment"
		}
		return u, ""
	}, func(*url.URL) string { return "" }}
}
