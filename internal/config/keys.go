package config

import "time"

// least is the shortest of the durations that may not be zero.
const least = time.Millisecond

// keysOf are the keys of a file, bound to the places in c that they fill.
func keysOf(c *Config, d *draft) section {
	return section{"config", []field{
		{"listen", address(&c.Listen)},
		{"tls", placed{tlsKeys(&c.TLS), &d.tls}},
		{"max_connections", count(&c.MaxConnections, 1)},
		{"admin", section{"admin", []field{
			{"listen", address(&c.Admin.Listen)},
		}}},
		{"log", section{"log", []field{
			{"level", oneOf(&c.Log.Level, LevelDebug, LevelInfo, LevelWarn, LevelError)},
			{"format", oneOf(&c.Log.Format, FormatJSON, FormatConsole)},
			{"access", oneOf(&c.Log.Access, AccessSampled, AccessAll, AccessOff)},
		}}},
		{"audit", section{"audit", []field{
			{"file", path{&c.Audit.File}},
			{"values", boolean(&c.Audit.Values)},
			{"on_failure", onFailure{oneOf(&c.Audit.OnFailure, OnFailureContinue, OnFailureRefuse), &d.onFailure}},
		}}},
		{"session", section{"session", []field{
			{"key_file", keyFile{path{&c.Session.KeyFile}}},
			{"max_age", duration(&c.Session.MaxAge, time.Second)},
			{"bind", oneOf(&c.Session.Bind, BindSubject, BindCredential, BindNone)},
		}}},
		{"legacy", legacyKeys(&c.Legacy)},
		{"shutdown_timeout", duration(&c.ShutdownTimeout, 0)},
		{"keep_alive", duration(&c.KeepAlive, least)},
		{"security", securityKeys(&c.Security)},
		{"failures", oneOf(&c.Failures, FailuresAuto, FailuresJSONRPC)},
		{"limits", limitKeys(&c.Limits, &d.tools)},
		{"answers", section{"answers", []field{
			{"on_client_error", oneOf(&c.Answers.OnClientError, ChoiceFail, ChoiceCancel)},
			{"on_timeout", oneOf(&c.Answers.OnTimeout, ChoiceFail, ChoiceCancel)},
			{"on_no_channel", oneOf(&c.Answers.OnNoChannel, ChoiceFail, ChoiceCancel)},
		}}},
		{"budgets", budgetList{&c.Budgets}},
		{"policy", policyKeys(&d.general)},
		{"routes", must{routeList{c, d}}},
	}}
}

func securityKeys(s *Security) section {
	return section{"security", []field{
		{"allowed_hosts", list[string]{&s.AllowedHosts, host}},
		{"allowed_origins", list[string]{&s.AllowedOrigins, origin}},
		{"loopback_origins", boolean(&s.LoopbackOrigins)},
		{"tokens", tokenList(&s.Tokens)},
		{"max_body_bytes", size(&s.MaxBodyBytes)},
		{"max_message_bytes", size(&s.MaxMessageBytes)},
	}}
}

func limitKeys(l *Limits, tools *[]toolDraft) section {
	return section{"limits", append(boundKeys(l),
		field{"max_open_round_trips", count(&l.MaxOpenRoundTrips, 1)},
		field{"max_open_round_trips_per_session", count(&l.MaxOpenRoundTripsPerSession, 1)},
		field{"tools", toolList{tools}},
	)}
}

// toolKeys are those limits that a single round trip has to itself.
func toolKeys(l *Limits) section { return section{"toollimits", boundKeys(l)} }

func boundKeys(l *Limits) []field {
	return []field{
		{"mode", oneOf(&l.Mode, ModeEnforce, ModeObserve)},
		{"max_rounds", count(&l.MaxRounds, 1)},
		{"max_state_only_rounds", count(&l.MaxStateOnlyRounds, 0)},
		{"max_input_requests", count(&l.MaxInputRequests, 1)},
		{"max_total_input_requests", count(&l.MaxTotalInputRequests, 1)},
		{"max_request_state_bytes", size(&l.MaxRequestStateBytes)},
		{"max_input_required_bytes", size(&l.MaxInputRequiredBytes)},
		{"max_round_trip_time", duration(&l.MaxRoundTripTime, least)},
		{"input_timeout", duration(&l.InputTimeout, least)},
	}
}

func policyKeys(l *ruleList) section {
	return section{"policy", []field{{"rules", rules{l}}}}
}

func routeKeys(r *Route, d *routeDraft) section {
	return section{"route", []field{
		{"path", routePath{&r.Path, &d.path}},
		{"upstream", must{upstreamKeys(&r.Upstream, d)}},
		{"metadata", metadataKeys(&r.Metadata, d)},
		{"limits", limitKeys(&r.Limits, &d.tools)},
		{"policy", policyKeys(&d.own)},
		{"modern", modernKeys(&r.Modern)},
		{"passthrough", boolean(&r.Passthrough)},
	}}
}

func upstreamKeys(u *Upstream, d *routeDraft) section {
	return section{"upstream", []field{
		{"url", must{server(&u.URL)}},
		{"era", oneOf(&u.Era, EraAuto, EraModern, EraLegacy)},
		{"authorization", authorization{&u.Authorization, &d.credential}},
		{"headers", headers{&u.Headers, &d.credential}},
		{"timeout", given{duration(&u.Timeout, least), &d.timeout}},
		{"call_timeout", given{duration(&u.CallTimeout, least), &d.callTimeout}},
		{"result_types", list[string]{&u.ResultTypes, resultType}},
		{"tls", placed{upstreamTLSKeys(&u.TLS), &d.tls}},
	}}
}
