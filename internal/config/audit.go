package config

// onFailure remembers where the choice stands.
type onFailure struct {
	kind
	at *value
}

func (o onFailure) read(v value) {
	*o.at = v
	o.kind.read(v)
}

// audit refuses a promise that cannot be kept.
func (r *reader) audit(c *Config, d *draft) {
	if c.Audit.OnFailure == OnFailureRefuse && c.Audit.File == "" {
		d.onFailure.fail("refuse needs audit.file: whether the log takes a record is not known")
	}
}
