package config

import (
	"slices"
	"strings"
	"testing"
)

// good is a file to which a mistake is added: three lines.
const good = "routes:\n  - path: /mcp\n    upstream: {url: \"http://127.0.0.1:9/mcp\"}\n"

// refused checks a file against all of its problems, one a line without the name of the file.
func refused(t *testing.T, yaml, want string) {
	t.Helper()
	c, problems := Parse("c.yaml", []byte(yaml), Options{LookupEnv: func(string) (string, bool) { return "", false }})
	got := strings.ReplaceAll(problems.Error(), "c.yaml:", "")
	if !sameLines(got, want) || c != nil {
		t.Errorf("%s\ngot  %s\nwant %s", yaml, got, want)
	}
}

// sameLines compares line by line; a wanted line that ends in " ..." leaves the rest to package policy.
func sameLines(got, want string) bool {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	return slices.EqualFunc(g, w, func(g, w string) bool {
		if begin, open := strings.CutSuffix(w, " ..."); open {
			return strings.HasPrefix(g, begin)
		}
		return g == w
	})
}

// One mistake each.
func TestRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ yaml, want string }{
		"nothing at all":     {"", "1: routes: is missing, want [ <route>, ... ]"},
		"only a comment":     {"# later\n", "1: routes: is missing, want [ <route>, ... ]"},
		"no mapping":         {"hello\n", "1: is a plain value, want a mapping"},
		"no YAML":            {"listen: [\n", "1: no YAML: did not find expected node content"},
		"a tab":              {"log:\n\tlevel: info\n", "2: no YAML: found character that cannot start any token"},
		"two documents":      {good + "---\n" + good, "4: a second document begins here, want one"},
		"no route":           {"routes: []\n", "1: routes: is empty, want at least one route"},
		"unknown key":        {good + "colour: red\n", "4: colour: unknown key"},
		"mistyped key":       {good + "lissten: 127.0.0.1:1\n", "4: lissten: unknown key, is listen meant?"},
		"dashed key":         {good + "keep-alive: 15s\n", "4: keep-alive: unknown key, is keep_alive meant?"},
		"repeated key":       {"listen: 127.0.0.1:1\nlisten: 127.0.0.1:2\n" + good, "2: listen: is already given in line 1"},
		"repeated inner key": {good + "log:\n  level: info\n  level: debug\n", "6: log.level: is already given in line 5"},
		"key with a newline": {good + "\"a\\nb\": 1\n", `4: "a\nb": unknown key`},
		"mapping as a key":   {good + "? {a: b}\n: 1\n", "4: a key must be a plain text"},
		"merge key":          {good + "log:\n  <<: {level: info}\n", "5: log.<<: merge keys are not supported"},
		"foreign tag":        {good + "failures: !mine auto\n", "4: failures: has the tag !mine, which is not supported"},
		"list for a mapping": {good + "limits: [1]\n", "4: limits: is a list, want a mapping"},
		"text for a mapping": {good + "log: info\n", "4: log: is a plain value, want a mapping"},
		"text for a list":    {good + "policy: {rules: none}\n", "4: policy.rules: is a plain value, want a list"},
		"list for a value":   {good + "keep_alive: [15s]\n", "4: keep_alive: is a list, want <duration>"},
		"key without value":  {good + "keep_alive:\n", "4: keep_alive: has no value, want <duration>"},

		"early answers taken": {good + "    modern: {early_answers: take}\n", `4: routes[0].modern.early_answers: "take" is none of refuse, hold`},
		"modern for all":      {good + "modern: {early_answers: hold}\n", "4: modern: unknown key"},

		"address without port": {"listen: localhost\n" + good, `1: listen: "localhost" is no host:port`},
		"address with name":    {"listen: localhost:http\n" + good, `1: listen: "localhost:http" is no host:port`},
		"port out of range":    {"admin: {listen: ':70000'}\n" + good, `1: admin.listen: ":70000" is no host:port`},
		"bool":                 {good + "audit: {values: 'on'}\n", `4: audit.values: "on" is neither true nor false`},
		"duration":             {good + "keep_alive: 15\n", `4: keep_alive: "15" is no duration such as 200ms, 30s, 5m or 168h`},
		"negative duration":    {good + "shutdown_timeout: -1s\n", "4: shutdown_timeout: -1s is less than 0s"},
		"no time at all":       {good + "keep_alive: 0s\n", "4: keep_alive: 0s is less than 1ms"},
		"size":                 {good + "security: {max_body_bytes: 4 MiB}\n", `4: security.max_body_bytes: "4 MiB" is no size such as 65536, 64KiB, 4MiB or 1GB`},
		"no size at all":       {good + "security: {max_body_bytes: 0KiB}\n", "4: security.max_body_bytes: 0KiB is less than 1"},
		"size beyond int64":    {good + "security: {max_body_bytes: 9999999999GiB}\n", `4: security.max_body_bytes: "9999999999GiB" is too big`},
		"count":                {good + "limits: {max_rounds: 8.0}\n", `4: limits.max_rounds: "8.0" is no whole number`},
		"no round":             {good + "limits: {max_rounds: 0}\n", "4: limits.max_rounds: 0 is less than 1"},
		"choice":               {good + "failures: sometimes\n", `4: failures: "sometimes" is none of auto, jsonrpc`},
		"long value":           {good + "failures: " + strings.Repeat("x", 101) + "\n", `4: failures: "` + strings.Repeat("x", 100) + `…" is none of auto, jsonrpc`},
		"host pattern":         {good + "security: {allowed_hosts: ['*.example']}\n", `4: security.allowed_hosts[0]: "*.example" is no host or host:port`},
		"host with a scheme":   {good + "security: {allowed_hosts: ['http://a.example']}\n", `4: security.allowed_hosts[0]: "http://a.example" is no host or host:port`},
		"origin with a path":   {good + "security: {allowed_origins: ['https://a.example/']}\n", `4: security.allowed_origins[0]: "https://a.example/" is no origin such as https://app.example or http://app.example:3000`},
		"null origin":          {good + "security: {allowed_origins: ['null']}\n", `4: security.allowed_origins[0]: "null" is no origin such as https://app.example or http://app.example:3000`},
	} {
		t.Run(name, func(t *testing.T) { refused(t, tc.yaml, tc.want) })
	}
}

func TestRefusesRoutes(t *testing.T) {
	for name, tc := range map[string]struct{ yaml, want string }{
		"without upstream":     {"- path: /mcp\n", "2: routes[0].upstream: is missing, want <upstream>"},
		"without url":          {"- path: /mcp\n  upstream: {era: auto}\n", "3: routes[0].upstream.url: is missing, want <url>"},
		"scheme":               {"- upstream: {url: 'ftp://a.example/mcp'}\n", "2: routes[0].upstream.url: is no http or https URL"},
		"no host":              {"- upstream: {url: 'https:///mcp'}\n", "2: routes[0].upstream.url: is no http or https URL"},
		"credential in a url":  {"- upstream: {url: 'https://me:s3cret@a.example'}\n", "2: routes[0].upstream.url: may not hold a user or password, use authorization"},
		"broken url":           {"- upstream: {url: 'https://me:s3cret@a.example:x'}\n", "2: routes[0].upstream.url: is no http or https URL"},
		"fragment":             {"- upstream: {url: 'https://a.example#x'}\n", "2: routes[0].upstream.url: may not have a fragment"},
		"twice":                {"- upstream: {url: 'https://a.example'}\n- path: /mcp/\n  upstream: {url: 'https://b.example'}\n", "3: routes[1].path: /mcp is already served by the route of line 2"},
		"pattern":              {"- path: '/{x}'\n  upstream: {url: 'https://a.example'}\n", `2: routes[0].path: "/{x}" is no path of plain segments such as /mcp or /team/mcp`},
		"dots":                 {"- path: /a/../b\n  upstream: {url: 'https://a.example'}\n", `2: routes[0].path: "/a/../b" is no path of plain segments such as /mcp or /team/mcp`},
		"empty segment":        {"- path: /a//b\n  upstream: {url: 'https://a.example'}\n", `2: routes[0].path: "/a//b" is no path of plain segments such as /mcp or /team/mcp`},
		"relative":             {"- path: mcp\n  upstream: {url: 'https://a.example'}\n", `2: routes[0].path: "mcp" is no path of plain segments such as /mcp or /team/mcp`},
		"settled result type":  {"- upstream: {url: 'https://a.example', result_types: [complete]}\n", "2: routes[0].upstream.result_types[0]: complete has its meaning from the specification"},
		"literal credential":   {"- upstream: {url: 'https://a.example', authorization: Bearer s3cret}\n", "2: routes[0].upstream.authorization: want forward, none, {file: PATH} or {env: NAME}"},
		"literal header":       {"- upstream: {url: 'https://a.example', headers: {X-Key: s3cret}}\n", "2: routes[0].upstream.headers.X-Key: is a plain value, want {file: PATH} or {env: NAME}"},
		"secret from nowhere":  {"- upstream: {url: 'https://a.example', headers: {X-Key: {}}}\n", "2: routes[0].upstream.headers.X-Key: is empty or both, want {file: PATH} or {env: NAME}"},
		"secret from both":     {"- upstream: {url: 'https://a.example', headers: {X-Key: {file: a, env: b}}}\n", "2: routes[0].upstream.headers.X-Key: is empty or both, want {file: PATH} or {env: NAME}"},
		"secret not there":     {"- upstream: {url: 'https://a.example', headers: {X-Key: {env: NOT_SET}}}\n", "2: routes[0].upstream.headers.X-Key: the environment variable NOT_SET is not set"},
		"secret file missing":  {"- upstream: {url: 'https://a.example', headers: {X-Key: {file: /nowhere/key}}}\n", "2: routes[0].upstream.headers.X-Key: open /nowhere/key: no such file or directory"},
		"header name":          {"- upstream: {url: 'https://a.example', headers: {'X Key': {env: NOT_SET}}}\n", "2: routes[0].upstream.headers.X Key: is no header name\n2: routes[0].upstream.headers.X Key: the environment variable NOT_SET is not set"},
		"header of the proxy":  {"- upstream: {url: 'https://a.example', headers: {mcp-session-id: {env: NOT_SET}}}\n", "2: routes[0].upstream.headers.mcp-session-id: is set by the proxy itself\n2: routes[0].upstream.headers.mcp-session-id: the environment variable NOT_SET is not set"},
		"header with own key":  {"- upstream: {url: 'https://a.example', headers: {authorization: {env: NOT_SET}}}\n", "2: routes[0].upstream.headers.authorization: has a key of its own, authorization\n2: routes[0].upstream.headers.authorization: the environment variable NOT_SET is not set"},
		"limit of a route":     {"- upstream: {url: 'https://a.example'}\n  limits: {max_rounds: -1}\n", "3: routes[0].limits.max_rounds: -1 is less than 1"},
		"route without fields": {"-\n", "2: routes[0].upstream: is missing, want <upstream>"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, "routes:\n"+tc.yaml, tc.want) })
	}
}

// A duplicate key, a bad tag or a wrong kind hides nothing that comes after it.
func TestNamesEveryProblem(t *testing.T) {
	refused(t, `listen: nowhere
listen: 127.0.0.1:1
log: {level: loud, colour: green}
limits: [1]
security:
  max_body_bytes: plenty
  allowed_origins: ["*", https://fine.example, null]
policy:
  rules:
    - name: two-actions
      match: {tool: "dep["}
      fail: {message: x}
      decline: {}
    - name: no-action
      match: {method: nonsense}
    - [1]
`, `1: listen: "nowhere" is no host:port
1: routes: is missing, want [ <route>, ... ]
2: listen: is already given in line 1
3: log.colour: unknown key
3: log.level: "loud" is none of debug, info, warn, error
4: limits: is a list, want a mapping
6: security.max_body_bytes: "plenty" is no size such as 65536, 64KiB, 4MiB or 1GB
7: security.allowed_origins[0]: "*" is no origin such as https://app.example or http://app.example:3000
7: security.allowed_origins[2]: has no value, want <origin>
11: policy.rules[0].match.tool: ...
13: policy.rules[0].decline: a rule has one action, and this one already has fail
14: policy.rules[1]: has no action, want one of accept, decline, cancel, roots, reply, forward, fail
15: policy.rules[1].match.method: ...
16: policy.rules[2]: is a list, want a mapping`)
}
