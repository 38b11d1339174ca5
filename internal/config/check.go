package config

import (
	"gopkg.in/yaml.v3"

	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
)

// config reads a whole file and then checks what concerns more than one of its parts.
func (r *reader) config(root *yaml.Node) (*Config, Problems) {
	c, d := Default(), &draft{}
	top, ok := value{r: r, depth: -1}.child(root, root.Line, "")
	if !ok {
		return nil, r.problems
	}
	keysOf(&c, d).read(top)
	r.listeners(&c)
	r.credentials(&c, d)
	r.metadata(&c, d)
	r.audit(&c, d)
	r.tls(&c, d)
	r.tools(&c, d)
	r.rules(&c, d)
	if len(r.problems) > 0 {
		return nil, r.problems.sorted()
	}
	return &c, nil
}

// listeners lets the command line go before the file.
func (r *reader) listeners(c *Config) {
	override := func(flag, given string, dst *string) {
		if given == "" {
			return
		}
		v := value{r: &reader{file: flag}, node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: given}}
		address(dst).read(v)
		r.problems = append(r.problems, v.r.problems...)
	}
	override("--listen", r.opts.Listen, &c.Listen)
	override("--admin-listen", r.opts.AdminListen, &c.Admin.Listen)
}

// credentials refuses to lend a credential of the route's own to everybody who can reach the listener.
func (r *reader) credentials(c *Config, d *draft) {
	if guard.IsLoopbackListener(c.Listen) || len(c.Security.Tokens) > 0 || c.TLS.CAFile != "" {
		return
	}
	for _, route := range d.routes {
		if route.credential.node != nil {
			route.credential.fail("is lent to everybody who can reach %s: listen on loopback, ask for a token (security.tokens) or for certificates (tls.client_ca_file)", c.Listen)
		}
	}
}

// rules compiles the rules of every route. The general ones are compiled alone as well, since there may be no route.
func (r *reader) rules(c *Config, d *draft) {
	c.Policy.Rules = d.general.specs
	d.general.compile(r)
	for i, route := range d.routes {
		effective := route.own.then(d.general)
		c.Routes[i].Policy.Rules = effective.specs
		c.Routes[i].Rules = effective.compile(r)
	}
	if len(r.problems) > 0 {
		return
	}
	c.Warnings = d.general.shadowed()
	for _, route := range d.routes {
		c.Warnings = append(c.Warnings, route.own.shadowed()...)
	}
	c.Warnings = c.Warnings.sorted()
}
