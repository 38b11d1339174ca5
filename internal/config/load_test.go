package config

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mrtr-proxy/mrtr-proxy/internal/secret"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// write puts a file into the folder of a test.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// same compares Configs with the secrets in them, and without the compiled rules.
func same(t *testing.T, got, want *Config) {
	t.Helper()
	hidden := cmp.Comparer(func(a, b secret.Value) bool { return a.Reveal() == b.Reveal() })
	patterns := cmp.Comparer(func(a, b policy.Pattern) bool { return a.String() == b.String() })
	if diff := cmp.Diff(want, got, hidden, patterns, cmpopts.IgnoreFields(Route{}, "Rules"), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func parsed(t *testing.T, yaml string, o Options) *Config {
	t.Helper()
	c, problems := Parse("c.yaml", []byte(yaml), o)
	if len(problems) > 0 {
		t.Fatalf("%s\n%v", yaml, problems)
	}
	return c
}

func TestOneRouteIsEnough(t *testing.T) {
	want, route := Default(), DefaultRoute()
	route.Upstream.URL = &url.URL{Scheme: "https", Host: "server.example", Path: "/mcp"}
	want.Routes = []Route{route}
	same(t, parsed(t, "routes: [{upstream: {url: 'https://server.example/mcp'}}]", Options{}), &want)
	c, problems := ForUpstream("https://server.example/mcp", Options{})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	same(t, c, &want)
	empty := "listen: 127.0.0.1:8808\nadmin:\nlog: {}\nlimits:\nsecurity: {tokens: }\npolicy:\nroutes:\n  - upstream: {url: 'https://server.example/mcp', headers: }\n    limits:\n    policy: {rules: }\n"
	same(t, parsed(t, empty, Options{}), &want)
}

func TestEveryKeyIsRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "token", "t0ken\n")
	write(t, dir, "value", "Bearer up\r\n")
	path := write(t, dir, "c.yaml", `
listen: :9000
tls: {cert_file: cert.pem, key_file: /key.pem, client_ca_file: ca.pem}
max_connections: 11
admin: {listen: "[::1]:9001"}
log: {level: debug, format: console, access: "off"}
audit: {file: audit.log, values: true, on_failure: refuse}
session: {key_file: keys, max_age: 1h, bind: none}
legacy: {resume_window: 0s, waiting_progress: 1s, client_deadline: 2s, client_deadlines: {"opencode*": 55s}}
shutdown_timeout: 0s
keep_alive: 1s
security:
  allowed_hosts: [Proxy.example, "[2001:db8::1]:443"]
  allowed_origins: [https://App.example]
  loopback_origins: false
  tokens: [{file: token}, {env: TOKEN}]
  max_body_bytes: 1KB
  max_message_bytes: 123
failures: jsonrpc
limits: &all
  mode: observe
  max_rounds: 1
  max_state_only_rounds: 0
  max_input_requests: 3
  max_total_input_requests: 4
  max_request_state_bytes: 5B
  max_input_required_bytes: 6MB
  max_round_trip_time: 7s
  input_timeout: 8s
  max_open_round_trips: 9
  max_open_round_trips_per_session: 10
answers: {on_client_error: cancel, on_timeout: fail, on_no_channel: fail}
policy:
  rules:
    - name: general
      decline:
routes:
  - path: /a/b/
    upstream:
      url: http://127.0.0.1:1/mcp?x=1
      era: legacy
      authorization: {file: value}
      headers: {x-key: {env: TOKEN}}
      timeout: 1m
      call_timeout: 2m
      result_types: [partial, 7]
    limits: {max_rounds: 2}
    policy:
      rules:
        - name: own
          match: {method: roots/list}
          roots: []
    modern: {early_answers: hold}
    passthrough: true
  - path: /
    upstream: {url: "http://127.0.0.1:2/", authorization: none}
    limits: *all
`)
	_, problems := Load(path, Options{LookupEnv: func(name string) (string, bool) { return "of " + name, name == "TOKEN" }})
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "is no bearer token") {
		t.Fatalf("a token with a space: %v", problems)
	}
	c, problems := Load(path, Options{LookupEnv: func(name string) (string, bool) { return "env:" + name, name == "TOKEN" }})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	limits := Limits{ModeObserve, 1, 0, 3, 4, 5, 6e6, 7 * time.Second, 8 * time.Second, 9, 10}
	own := limits
	own.MaxRounds = 2
	general := policy.Spec{Name: "general", Action: "decline", Args: []byte("null")}
	same(t, c, &Config{
		Listen: ":9000",
		Admin:  Admin{"[::1]:9001"},
		Log:    Log{LevelDebug, FormatConsole, AccessOff},
		TLS:    TLS{filepath.Join(dir, "cert.pem"), "/key.pem", filepath.Join(dir, "ca.pem")},

		MaxConnections: 11,

		Audit:   Audit{filepath.Join(dir, "audit.log"), true, OnFailureRefuse},
		Session: Session{filepath.Join(dir, "keys"), time.Hour, BindNone},
		Legacy:  Legacy{0, time.Second, 2 * time.Second, []Deadline{{pattern(t, "opencode*"), 55 * time.Second}}},

		KeepAlive: time.Second,
		Security: Security{
			AllowedHosts:    []string{"proxy.example", "[2001:db8::1]:443"},
			AllowedOrigins:  []string{"https://app.example"},
			Tokens:          []secret.Value{secret.Of("t0ken"), secret.Of("env:TOKEN")},
			MaxBodyBytes:    1000,
			MaxMessageBytes: 123,
		},
		Failures: FailuresJSONRPC,
		Limits:   limits,
		Answers:  Answers{ChoiceCancel, ChoiceFail, ChoiceFail},
		Policy:   Policy{[]policy.Spec{general}},
		Routes: []Route{{
			Path: "/a/b",
			Upstream: Upstream{
				URL:           &url.URL{Scheme: "http", Host: "127.0.0.1:1", Path: "/mcp", RawQuery: "x=1"},
				Era:           EraLegacy,
				Authorization: Authorization{CredentialFixed, secret.Of("Bearer up")},
				Headers:       []Header{{"X-Key", secret.Of("env:TOKEN")}},
				Timeout:       time.Minute,
				CallTimeout:   2 * time.Minute,
				ResultTypes:   []string{"partial", "7"},
			},
			Limits:      own,
			Policy:      Policy{[]policy.Spec{{Name: "own", Match: []byte(`{"method":"roots/list"}`), Action: "roots", Args: []byte("[]")}, general}},
			Modern:      Modern{EarlyAnswersHold},
			Passthrough: true,
		}, {
			Path: "/",
			Upstream: Upstream{
				URL: &url.URL{Scheme: "http", Host: "127.0.0.1:2", Path: "/"}, Era: EraAuto,
				Authorization: Authorization{From: CredentialNone}, Timeout: time.Minute, CallTimeout: 10 * time.Minute,
			},
			Limits: limits,
			Policy: Policy{[]policy.Spec{general}},
			Modern: Modern{EarlyAnswersRefuse},
		}},
	})
	if n := len(c.Routes[0].Rules.Rules()); n != 2 {
		t.Errorf("%d rules compiled, want 2", n)
	}
}

// General limits reach a route although they come after it in the file.
func TestLimitsOfARouteStartFromTheGeneralOnes(t *testing.T) {
	c := parsed(t, "routes:\n  - upstream: {url: 'http://a.example'}\n    limits: {max_rounds: 2}\nlimits: {max_rounds: 3, input_timeout: 1s}\n", Options{})
	if l := c.Routes[0].Limits; l.MaxRounds != 2 || l.InputTimeout != time.Second || l.MaxInputRequests != 16 {
		t.Errorf("got %+v", l)
	}
}

func TestCommandLineGoesBeforeTheFile(t *testing.T) {
	c := parsed(t, "listen: 127.0.0.1:1\n"+good, Options{Listen: "127.0.0.1:2", AdminListen: ":3"})
	if c.Listen != "127.0.0.1:2" || c.Admin.Listen != ":3" {
		t.Errorf("listens on %s and %s", c.Listen, c.Admin.Listen)
	}
	_, problems := ForUpstream("nowhere", Options{Listen: "here"})
	want := "--upstream: routes[0].upstream.url: is no http or https URL\n--listen: \"here\" is no host:port"
	if got := problems.Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(dir, "none.yaml"): "no such file or directory",
		dir:                             "is a directory",
		write(t, dir, "big.yaml", strings.Repeat("#", maxFileBytes+1)): "is longer than 4194304 bytes",
	} {
		c, problems := Load(path, Options{})
		if c != nil || problems.Error() != path+": "+want {
			t.Errorf("got %v, want %s", problems, want)
		}
	}
}

func TestKeyFileIsJudged(t *testing.T) {
	var asked string
	o := Options{CheckKeys: func(path string) error { asked = path; return errors.New("is readable by others") }}
	_, problems := Parse("/etc/proxy/c.yaml", []byte(good+"session: {key_file: keys}\n"), o)
	if problems.Error() != "/etc/proxy/c.yaml:4: session.key_file: is readable by others" || asked != "/etc/proxy/keys" {
		t.Errorf("%v, asked about %s", problems, asked)
	}
	parsed(t, good+"session: {key_file: \"\"}\n", o)
}

func pattern(t *testing.T, text string) policy.Pattern {
	t.Helper()
	p, err := policy.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOneTimeoutHoldsForEverySilence(t *testing.T) {
	for yaml, want := range map[string]time.Duration{
		"": 10 * time.Minute, ", timeout: 2s": 2 * time.Second, ", timeout: 2s, call_timeout: 3s": 3 * time.Second, ", call_timeout: 3s": 3 * time.Second,
	} {
		c := parsed(t, "routes: [{upstream: {url: 'https://server.example/mcp'"+yaml+"}}]", Options{})
		if got := c.Routes[0].Upstream.CallTimeout; got != want {
			t.Errorf("%q: call_timeout %v, want %v", yaml, got, want)
		}
	}
}
