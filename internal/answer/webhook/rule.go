package webhook

import (
	"encoding/json"
	"net/url"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/secret"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// Parse reads {url, timeout, secret}: an http or https URL, a duration such as "30s" ([DefaultTimeout] without), and
// {file: PATH} or {env: NAME}, which is read now; without a secret the requests are not signed.
func (f *Factory) Parse(args json.RawMessage) (answer.Answerer, []policy.Problem) {
	h := &hook{factory: f, timeout: DefaultTimeout}
	var problems problems
	seen := false
	err := wire.Each(args, func(key string, v []byte) error {
		switch key {
		case "url":
			seen = true
			h.url = problems.address(v)
		case "timeout":
			h.timeout = problems.duration(v)
		case "secret":
			h.secret = problems.secret(v, f.options.LookupEnv)
		default:
			problems.add(wire.Clean(key, 100), "unknown key")
		}
		return nil
	})
	switch {
	case err != nil:
		problems.add("", "must be a mapping of url, timeout and secret, each at most once")
	case !seen:
		problems.add("url", "is required")
	}
	return h, problems
}

// problems collects what is wrong with a rule; the fields are relative to the action's key.
type problems []policy.Problem

func (p *problems) add(field, message string) {
	*p = append(*p, policy.Problem{Field: field, Message: message})
}

func (p *problems) address(v []byte) string {
	text, _ := wire.Unquote(v)
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		p.add("url", "must be an http or https URL")
	case u.User != nil:
		p.add("url", "must not hold a user or password; use secret")
	case u.Fragment != "":
		p.add("url", "must not have a fragment")
	}
	return text
}

func (p *problems) duration(v []byte) time.Duration {
	text, _ := wire.Unquote(v)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		p.add("timeout", `must be a duration above zero, such as "30s"`)
	}
	return d
}

func (p *problems) secret(v []byte, lookup func(string) (string, bool)) secret.Value {
	var kind, where string
	n := 0
	err := wire.Each(v, func(key string, v []byte) error {
		n++
		kind = key
		where, _ = wire.Unquote(v)
		return nil
	})
	var s secret.Value
	switch {
	case err != nil || n != 1 || where == "" || kind != "file" && kind != "env":
		p.add("secret", "must be {file: PATH} or {env: NAME}")
		return s
	case kind == "file":
		s, err = secret.ReadFile(where)
	default:
		s, err = secret.FromEnv(where, lookup)
	}
	if err != nil {
		p.add("secret."+kind, err.Error())
	}
	return s
}
