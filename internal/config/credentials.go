package config

import (
	"net/http"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/secret"
)

// hidden is a secret: {file: PATH} or {env: NAME}, read while the configuration is loaded.
type hidden struct{ dst *secret.Value }

func (hidden) grammar() string  { return "<secret>" }
func (hidden) fallback() string { return "" }

func (h hidden) read(v value) {
	const want = "want {file: PATH} or {env: NAME}"
	if v.sort() != "a mapping" {
		v.fail("is %s, %s", v.sort(), want) // which is not repeated: it may be the secret itself
		return
	}
	var from struct{ file, env string }
	before := len(v.r.problems)
	secretKeys(&from.file, &from.env).read(v)
	if len(v.r.problems) > before {
		return
	}
	var err error
	switch {
	case (from.file == "") == (from.env == ""):
		v.fail("is empty or both, %s", want)
	case from.file != "":
		*h.dst, err = secret.ReadFile(from.file)
	default:
		*h.dst, err = secret.FromEnv(from.env, v.r.opts.LookupEnv)
	}
	if err != nil {
		v.fail("%v", err)
	}
}

func secretKeys(file, env *string) section {
	return section{"secret", []field{{"file", path{file}}, {"env", word(env)}}}
}

// tokenList are bearer tokens that clients have to show one of.
func tokenList(dst *[]secret.Value) kind {
	return list[secret.Value]{dst, func(v *secret.Value) kind { return token{hidden{v}} }}
}

// word is a text that is not empty.
func word(dst *string) kind {
	return scalar[string]{dst, "string", func(s string) (string, string) {
		if s == "" {
			return "", "is empty"
		}
		return s, ""
	}, shown}
}

// token is a secret that clients show as a bearer token.
type token struct{ hidden }

func (t token) read(v value) {
	t.hidden.read(v)
	if text := t.dst.Reveal(); strings.ContainsAny(text, " \t") {
		v.fail("is no bearer token: it holds white space; the word Bearer is not part of it")
	}
}

// authorization is where the Authorization header towards upstream comes from.
type authorization struct {
	dst *Authorization
	at  *value // set when it is fixed
}

func (authorization) grammar() string    { return "<forward|none|secret>" }
func (a authorization) fallback() string { return string(a.dst.From) }

func (a authorization) read(v value) {
	if v.sort() == "a mapping" {
		a.dst.From, *a.at = CredentialFixed, v
		hidden{&a.dst.Value}.read(v)
		return
	}
	text, ok := v.text("forward, none, {file: PATH} or {env: NAME}")
	switch c := Credential(text); {
	case !ok:
	case c == CredentialForward || c == CredentialNone:
		a.dst.From = c
	default:
		v.fail("want forward, none, {file: PATH} or {env: NAME}")
	}
}

// headers are added to every request upstream: a mapping of names to secrets.
type headers struct {
	dst *[]Header
	at  *value // set when there are any, unless it already is
}

func (headers) grammar() string  { return "{ <header>: <secret>, ... }" }
func (headers) fallback() string { return "{}" }

func (h headers) read(v value) {
	entries, ok := v.mapping()
	if !ok {
		return
	}
	seen := map[string]bool{}
	var out []Header
	for _, e := range entries {
		header := Header{Name: http.CanonicalHeaderKey(e.key)}
		if problem := headerProblem(e.key, header.Name); problem != "" {
			e.value.fail("%s", problem)
		} else if seen[header.Name] {
			e.value.fail("is already given in another spelling")
		}
		seen[header.Name] = true
		hidden{&header.Value}.read(e.value)
		out = append(out, header)
	}
	*h.dst = out
	if len(out) > 0 && h.at.node == nil {
		*h.at = v
	}
}

// headerProblem refuses names that are none, and those that belong to the protocols.
func headerProblem(written, canonical string) string {
	for _, c := range []byte(written) {
		if c <= ' ' || c >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, rune(c)) {
			return "is no header name"
		}
	}
	switch canonical {
	case "":
		return "is no header name"
	case "Authorization":
		return "has a key of its own, authorization"
	case "Host", "Content-Length", "Content-Type", "Content-Encoding", "Accept", "Accept-Encoding", "Connection", "Keep-Alive",
		"Te", "Trailer", "Transfer-Encoding", "Upgrade", "Last-Event-Id", "Origin":
		return "is set by the proxy itself"
	}
	if strings.HasPrefix(canonical, "Mcp-") || strings.HasPrefix(canonical, "Proxy-") {
		return "is set by the proxy itself"
	}
	return ""
}
