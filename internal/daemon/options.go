package daemon

import (
	"crypto/tls"
	"net/http"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/guard"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/exchange"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/legacy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// trafficOptions maps a configuration onto the options of the traffic handler.
func trafficOptions(c *config.Config, version string) (proxy.Options, error) {
	o := proxy.Options{
		Guard:           guardOptions(c),
		MaxBodyBytes:    c.Security.MaxBodyBytes,
		KeepAlive:       c.KeepAlive,
		ResumeWindow:    c.Legacy.ResumeWindow,
		WaitingProgress: c.Legacy.WaitingProgress,
		Deadlines:       deadlines(&c.Legacy),
		MaxAge:          c.Session.MaxAge,
		Binding:         bindings[c.Session.Bind],
		JSONRPCFailures: c.Failures == config.FailuresJSONRPC,
		AuditValues:     c.Audit.Values,

		RefuseUnrecorded: c.Audit.OnFailure == config.OnFailureRefuse,
	}
	for _, b := range c.Budgets {
		o.Budgets = append(o.Budgets, budget.Budget{
			Name: b.Name, Match: b.Match, Per: scopes[b.Per], MaxAsks: b.MaxAsks, MaxRoundTrips: b.MaxRoundTrips, Window: b.Window,
		})
	}
	for _, t := range c.Security.Tokens {
		o.Tokens = append(o.Tokens, t.Reveal())
	}
	for i := range c.Routes {
		r := routeOptions(c, &c.Routes[i], version)
		if err := upstreamTLS(&r.Upstream, c.Routes[i].Upstream.TLS); err != nil {
			return o, err
		}
		o.Routes = append(o.Routes, r)
	}
	return o, nil
}

func deadlines(l *config.Legacy) (all []legacy.Deadline) {
	for _, d := range l.Deadlines {
		all = append(all, legacy.Deadline{Client: d.Client, After: d.After})
	}
	if l.ClientDeadline > 0 {
		everyone, _ := policy.ParsePattern("*")
		all = append(all, legacy.Deadline{Client: everyone, After: l.ClientDeadline})
	}
	return all
}

func guardOptions(c *config.Config) guard.Options {
	return guard.Options{
		AllowedHosts:    c.Security.AllowedHosts,
		AllowedOrigins:  c.Security.AllowedOrigins,
		LoopbackOrigins: c.Security.LoopbackOrigins,
	}
}

func routeOptions(c *config.Config, r *config.Route, version string) proxy.Route {
	return proxy.Route{
		Path:        r.Path,
		Upstream:    upstreamOptions(c, r, version),
		Metadata:    proxy.Metadata{Publish: r.Metadata.Publish, Resource: r.Metadata.Resource},
		Limits:      limits(&r.Limits),
		ToolLimits:  toolLimits(r.Tools),
		Passthrough: r.Passthrough,
		Policy:      r.Rules,

		HoldEarlyAnswers: r.Modern.EarlyAnswers == config.EarlyAnswersHold,
		Answers: answer.Settings{
			OnClientError: choices[c.Answers.OnClientError],
			OnTimeout:     choices[c.Answers.OnTimeout],
			OnNoChannel:   choices[c.Answers.OnNoChannel],
			InputTimeout:  r.Limits.InputTimeout,
			Observe:       r.Limits.Mode == config.ModeObserve,
		},
	}
}

func upstreamOptions(c *config.Config, r *config.Route, version string) upstream.Options {
	u := &r.Upstream
	o := upstream.Options{
		Route:           r.Path,
		URL:             u.URL,
		Era:             eras[u.Era],
		Headers:         http.Header{},
		Timeout:         u.Timeout,
		CallTimeout:     u.CallTimeout,
		ResultTypes:     u.ResultTypes,
		MaxMessageBytes: c.Security.MaxMessageBytes,
		Version:         version,
	}
	for _, h := range u.Headers {
		o.Headers.Add(h.Name, h.Value.Reveal())
	}
	switch u.Authorization.From {
	case config.CredentialNone:
		o.Authorization = upstream.NoAuthorization()
	case config.CredentialFixed:
		o.Authorization = upstream.Fixed(u.Authorization.Value.Reveal())
	default:
		o.Authorization = upstream.Forward()
	}
	return o
}

// upstreamTLS reads the files for an https server.
func upstreamTLS(o *upstream.Options, f config.TLS) error {
	if f.IsZero() {
		return nil
	}
	m, err := readMaterial(f)
	if err != nil {
		return err
	}
	o.TLSPrint, o.TLS = m.print, &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: m.authorities}
	if m.certificate != nil {
		o.TLS.Certificates = []tls.Certificate{*m.certificate}
	}
	return nil
}

func toolLimits(tools []config.ToolLimits) (out []exchange.ToolLimits) {
	for i := range tools {
		out = append(out, exchange.ToolLimits{Tools: tools[i].Tools, Limits: limits(&tools[i].Limits)})
	}
	return out
}

func limits(l *config.Limits) resolver.Limits {
	return resolver.Limits{
		Observe:                     l.Mode == config.ModeObserve,
		MaxRounds:                   l.MaxRounds,
		MaxStateOnlyRounds:          l.MaxStateOnlyRounds,
		MaxInputRequests:            l.MaxInputRequests,
		MaxTotalInputRequests:       l.MaxTotalInputRequests,
		MaxRequestStateBytes:        l.MaxRequestStateBytes,
		MaxInputRequiredBytes:       l.MaxInputRequiredBytes,
		MaxRoundTripTime:            l.MaxRoundTripTime,
		InputTimeout:                l.InputTimeout,
		MaxOpenRoundTrips:           l.MaxOpenRoundTrips,
		MaxOpenRoundTripsPerSession: l.MaxOpenRoundTripsPerSession,
	}
}

// The words of the configuration, as the other packages know them.
var (
	bindings = map[config.Bind]session.Binding{
		config.BindSubject: session.BindSubject, config.BindCredential: session.BindCredential, config.BindNone: session.BindNone,
	}
	scopes = map[config.Per]budget.Scope{
		config.PerPrincipal: budget.Principal, config.PerSession: budget.Session, config.PerRoute: budget.Route,
		config.PerTool: budget.Tool, config.PerClient: budget.Client,
	}
	choices = map[config.Choice]answer.Choice{config.ChoiceFail: answer.Fail, config.ChoiceCancel: answer.Cancel}
	eras    = map[config.Era]upstream.Era{
		config.EraAuto: upstream.Auto, config.EraModern: upstream.Modern, config.EraLegacy: upstream.Legacy,
	}
)
