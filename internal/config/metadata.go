package config

import (
	"net/url"
	"strings"
)

// Metadata is what a route publishes about who authorizes clients for it (RFC 9728).
type Metadata struct {
	Publish  bool
	Resource string // the identifier of the resource; "" is the URL that the client dialled
}

func metadataKeys(m *Metadata, d *routeDraft) section {
	return section{"metadata", []field{
		{"publish", publish{boolean(&m.Publish), &d.publish}},
		{"resource", resource(&m.Resource)},
	}}
}

// publish remembers where the choice stands.
type publish struct {
	kind
	at *value
}

func (p publish) read(v value) {
	*p.at = v
	p.kind.read(v)
}

// resource is the URL of a resource, kept as it is written: clients compare it letter by letter.
func resource(dst *string) kind {
	return scalar[string]{dst, "url", func(s string) (string, string) {
		if s == "" {
			return "", ""
		}
		u, err := url.Parse(s)
		switch {
		case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
			return "", quoted(s) + " is no http or https URL"
		case u.User != nil || strings.Contains(s, "#"):
			return "", "may not have a user or a fragment"
		}
		return s, ""
	}, shown}
}

// metadata refuses to send clients to log in where what they get by it goes nowhere.
func (r *reader) metadata(c *Config, d *draft) {
	for i := range c.Routes {
		if c.Routes[i].Metadata.Publish && c.Routes[i].Upstream.Authorization.From != CredentialForward {
			d.routes[i].publish.fail("needs authorization: forward: clients' own credentials do not go to this server")
		}
	}
}
