package config

// TLS names the files of one end of TLS connections. They are PEM.
type TLS struct {
	// CertFile and KeyFile are this end's certificate, with its chain, and its key; "" = none.
	CertFile, KeyFile string
	// CAFile holds the authorities the other end's certificate must come from: clients' (none are asked for a certificate
	// without it), or the server's ("" = those of the system).
	CAFile string
}

// IsZero reports whether no file is named.
func (t TLS) IsZero() bool { return t == TLS{} }

func tlsKeys(t *TLS) section {
	return section{"tls", []field{
		{"cert_file", path{&t.CertFile}},
		{"key_file", path{&t.KeyFile}},
		{"client_ca_file", path{&t.CAFile}},
	}}
}

func upstreamTLSKeys(t *TLS) section {
	return section{"upstreamtls", []field{
		{"ca_file", path{&t.CAFile}},
		{"cert_file", path{&t.CertFile}},
		{"key_file", path{&t.KeyFile}},
	}}
}

// tls refuses files that cannot be used, or not without others.
func (r *reader) tls(c *Config, d *draft) {
	if c.TLS.CAFile != "" && c.TLS.CertFile == "" {
		d.tls.fail("client_ca_file needs cert_file and key_file")
	} else {
		r.files(&c.TLS, d.tls)
	}
	for i, route := range d.routes {
		u := &c.Routes[i].Upstream
		if !u.TLS.IsZero() && u.URL != nil && u.URL.Scheme != "https" {
			route.tls.fail("is for an https server, and upstream.url is none")
			continue
		}
		r.files(&u.TLS, route.tls)
	}
}

func (r *reader) files(t *TLS, at value) {
	switch {
	case t.IsZero():
	case (t.CertFile == "") != (t.KeyFile == ""):
		at.fail("cert_file and key_file go together")
	case r.opts.CheckTLS != nil:
		if err := r.opts.CheckTLS(*t); err != nil {
			at.fail("%v", err)
		}
	}
}
