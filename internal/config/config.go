// Package config turns a YAML file into a checked Config.
//
// Every problem of a file is found at once and told with its line. Each kind of value knows how to read itself
// (kinds_*.go); which keys there are is said in one table a section (keys.go), from which the tests also derive what
// CONFIGURATION.md and config.example.yaml have to show. Rules are compiled by package policy.
package config

import (
	"net/url"
	"strings"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/secret"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// Config is a whole configuration, checked and with its defaults filled in. It is not changed once it is loaded.
type Config struct {
	Listen          string // host:port of the traffic listener
	TLS             TLS    // of the traffic listener; without a certificate it speaks plain HTTP
	MaxConnections  int    // open to the traffic listener at once
	Admin           Admin
	Log             Log
	Audit           Audit
	Session         Session
	Legacy          Legacy
	ShutdownTimeout time.Duration // what running exchanges get when the process stops
	KeepAlive       time.Duration // between comment lines on an open stream
	Security        Security
	Failures        Failures
	Limits          Limits // routes hold their own copy, with these as defaults
	Answers         Answers
	Budgets         []Budget
	Policy          Policy // the general rules alone
	Routes          []Route
	Warnings        Problems // what is allowed, but hardly meant
}

// Admin is the admin listener.
type Admin struct {
	Listen string // host:port
}

// Log says what is logged and how.
type Log struct {
	Level  Level
	Format Format
	Access Access
}

// Audit is the record of settled asks.
type Audit struct {
	File      string    // "" = with the log
	Values    bool      // answers are part of the record
	OnFailure OnFailure // refuse needs a file: whether a log arrives is not known
}

// Session is what sessions are sealed with and good for.
type Session struct {
	KeyFile string        // "" = a key made at the start, gone at the end
	MaxAge  time.Duration // since the handshake
	Bind    Bind
}

// Security is who may talk to the proxy, and how big a message may be.
type Security struct {
	AllowedHosts    []string // host or host:port, lower case
	AllowedOrigins  []string // scheme://host[:port], lower case
	LoopbackOrigins bool
	Tokens          []secret.Value // bearer tokens; none = no token is asked for
	MaxBodyBytes    int64          // of a request from a client
	MaxMessageBytes int64          // of a message from upstream
}

// Limits are the bounds of the loop.
type Limits struct {
	Mode                        Mode
	MaxRounds                   int
	MaxStateOnlyRounds          int
	MaxInputRequests            int
	MaxTotalInputRequests       int
	MaxRequestStateBytes        int64
	MaxInputRequiredBytes       int64
	MaxRoundTripTime            time.Duration
	InputTimeout                time.Duration
	MaxOpenRoundTrips           int
	MaxOpenRoundTripsPerSession int
}

// ToolLimits are the limits of the tools whose names fit a pattern.
type ToolLimits struct {
	Tools  policy.Pattern
	Limits Limits // the effective ones
}

// Budget is how many asks, or round trips, may be caused in a window.
type Budget struct {
	Name                   string
	Match                  *policy.Set // one rule that matches what counts; never nil
	Per                    Per
	MaxAsks, MaxRoundTrips int // one of them is 0
	Window                 time.Duration
}

// Answers says what becomes of an elicitation that the client does not answer.
type Answers struct {
	OnClientError Choice
	OnTimeout     Choice
	OnNoChannel   Choice
}

// Policy is a list of rules as the file has them.
type Policy struct {
	Rules []policy.Spec
}

// Route is a path served downstream.
type Route struct {
	Path        string // clean, without a trailing slash unless it is "/"
	Upstream    Upstream
	Metadata    Metadata
	Limits      Limits       // the effective ones
	Tools       []ToolLimits // the first that fits goes before Limits: the route's own, then the general ones
	Policy      Policy       // the effective rules: the route's own, then the general ones
	Rules       *policy.Set  // Policy compiled; never nil
	Modern      Modern
	Passthrough bool // a legacy upstream is accepted although there are rules
}

// RouteAt finds a route by its path, nil when there is none; "" is the only one.
func (c *Config) RouteAt(path string) *Route {
	clean := path
	if clean != "/" {
		clean = strings.TrimSuffix(path, "/")
	}
	for i := range c.Routes {
		if c.Routes[i].Path == clean || path == "" && len(c.Routes) == 1 {
			return &c.Routes[i]
		}
	}
	return nil
}

// Paths are those of the routes, in the order of the file.
func (c *Config) Paths() []string {
	out := make([]string, len(c.Routes))
	for i := range c.Routes {
		out[i] = c.Routes[i].Path
	}
	return out
}

// Upstream is the server of a route.
type Upstream struct {
	URL           *url.URL // http or https, with a host
	Era           Era
	Authorization Authorization
	Headers       []Header // in the order of the file; names in canonical form
	Timeout       time.Duration
	CallTimeout   time.Duration
	ResultTypes   []string
	TLS           TLS
}

// Authorization is where the Authorization header towards upstream comes from.
type Authorization struct {
	From  Credential
	Value secret.Value // the whole header value, of CredentialFixed
}

// Header is a header added to every request upstream.
type Header struct {
	Name  string
	Value secret.Value
}

// Default is the configuration of an empty file. It has no route: Load refuses a file without one.
func Default() Config {
	return Config{
		Listen:          "127.0.0.1:8808",
		MaxConnections:  100_000,
		Admin:           Admin{Listen: "127.0.0.1:8809"},
		Log:             Log{Level: LevelInfo, Format: FormatJSON, Access: AccessSampled},
		Audit:           Audit{OnFailure: OnFailureContinue},
		Session:         Session{MaxAge: 168 * time.Hour, Bind: BindSubject},
		Legacy:          Legacy{ResumeWindow: time.Minute, WaitingProgress: 10 * time.Second},
		ShutdownTimeout: 30 * time.Second,
		KeepAlive:       15 * time.Second,
		Security:        Security{LoopbackOrigins: true, MaxBodyBytes: 4 << 20, MaxMessageBytes: 64 << 20},
		Failures:        FailuresAuto,
		Limits: Limits{
			Mode:                        ModeEnforce,
			MaxRounds:                   8,
			MaxStateOnlyRounds:          400,
			MaxInputRequests:            16,
			MaxTotalInputRequests:       64,
			MaxRequestStateBytes:        64 << 10,
			MaxInputRequiredBytes:       1 << 20,
			MaxRoundTripTime:            30 * time.Minute,
			InputTimeout:                10 * time.Minute,
			MaxOpenRoundTrips:           10000,
			MaxOpenRoundTripsPerSession: 32,
		},
		Answers: Answers{OnClientError: ChoiceFail, OnTimeout: ChoiceCancel, OnNoChannel: ChoiceCancel},
	}
}

// DefaultRoute is the route of `serve --upstream`, and what a route of the file is before its keys are read.
func DefaultRoute() Route {
	return Route{
		Path: "/mcp",
		Upstream: Upstream{
			Era:           EraAuto,
			Authorization: Authorization{From: CredentialForward},
			Timeout:       60 * time.Second,
			CallTimeout:   10 * time.Minute,
		},
		Limits: Default().Limits,
		Modern: Modern{EarlyAnswers: EarlyAnswersRefuse},
	}
}
