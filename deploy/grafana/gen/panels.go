package main

// row is a group of panels.
type row struct {
	title  string
	panels []panel
}

// panel is a graph, or a number when number is set.
type panel struct {
	title, description, unit string
	number                   bool
	queries                  []query
}

// query is PromQL and what its series are called.
type query struct {
	expr, legend string
	exemplars    bool
}

const (
	perSecond = "reqps"
	seconds   = "s"
	short     = "short"
	share     = "percentunit"
	bytes     = "bytes"
)

// p95 is a quantile of a histogram by labels.
func p95(metric, by string) string {
	return "histogram_quantile(0.95, sum by (" + by + ", le) (rate(" + metric + `_bucket{route=~"$route"}[$__rate_interval])))`
}

func p50(metric, by string) string {
	return "histogram_quantile(0.5, sum by (" + by + ", le) (rate(" + metric + `_bucket{route=~"$route"}[$__rate_interval])))`
}

func rate(metric, by string) string {
	return "sum by (" + by + ") (rate(" + metric + `{route=~"$route"}[$__rate_interval]))`
}

func rows() []row {
	return []row{
		{"Now", []panel{
			{"Requests", "Exchanges a second.", perSecond, true, []query{{expr: `sum(rate(mrtr_proxy_requests_total{route=~"$route"}[$__rate_interval]))`}}},
			{"Failed", "The share that did not end as ok or as the server's own error.", share, true, []query{{expr: `(sum(rate(mrtr_proxy_requests_total{route=~"$route", outcome=~"limit|input_failed|protocol|upstream_failed"}[$__rate_interval])) or vector(0)) / sum(rate(mrtr_proxy_requests_total{route=~"$route"}[$__rate_interval]))`}}},
			{"Waiting for people", "Legacy round trips that are open.", short, true, []query{{expr: `sum(mrtr_proxy_round_trips_open{route=~"$route"})`}}},
			{"Streams", "Event streams open towards clients.", short, true, []query{{expr: `sum(mrtr_proxy_streams_open{route=~"$route"})`}}},
			{"Instances", "That can be scraped.", short, true, []query{{expr: `count(mrtr_proxy_build_info)`}}},
			{"Configuration", "1 when the last reload was taken over everywhere.", short, true, []query{{expr: `min(mrtr_proxy_config_last_reload_successful)`}}},
		}},
		{"Requests", []panel{
			{"Requests by outcome", "", perSecond, false, []query{{expr: rate("mrtr_proxy_requests_total", "outcome"), legend: "{{outcome}}"}}},
			{"Requests by method", "", perSecond, false, []query{{expr: rate("mrtr_proxy_requests_total", "method"), legend: "{{method}}"}}},
			{"Requests by era of the client", "", perSecond, false, []query{{expr: rate("mrtr_proxy_requests_total", "era"), legend: "{{era}}"}}},
		}},
		{"Time", []panel{
			{"Whole requests", "From arrival to answer, with all waiting. p95 by method.", seconds, false, []query{{p95("mrtr_proxy_request_duration_seconds", "method"), "{{method}}", true}}},
			{"Attempts", "What the server takes for one reply. p95 by method.", seconds, false, []query{{p95("mrtr_proxy_attempt_duration_seconds", "method"), "{{method}}", true}}},
			{"Waiting for answers", "What people, rules and webhooks take.", seconds, false, []query{
				{expr: p50("mrtr_proxy_ask_wait_seconds", "source"), legend: "{{source}} p50"},
				{expr: p95("mrtr_proxy_ask_wait_seconds", "source"), legend: "{{source}} p95"},
			}},
		}},
		{"Rounds", []panel{
			{"Rounds of a request", "1 is a request of which the server wanted nothing.", short, false, []query{
				{expr: p50("mrtr_proxy_rounds", "method"), legend: "{{method}} p50"},
				{expr: p95("mrtr_proxy_rounds", "method"), legend: "{{method}} p95"},
			}},
			{"Limits that trip", "In mode observe they stop nothing.", perSecond, false, []query{
				{expr: rate("mrtr_proxy_limit_trips_total", "limit, mode"), legend: "{{limit}} ({{mode}})"},
				{expr: rate("mrtr_proxy_budget_denials_total", "budget"), legend: "budget {{budget}}"},
			}},
			{"Size of requestState", "", bytes, false, []query{
				{expr: p50("mrtr_proxy_request_state_bytes", "route"), legend: "{{route}} p50"},
				{expr: p95("mrtr_proxy_request_state_bytes", "route"), legend: "{{route}} p95"},
			}},
		}},
		{"Questions", []panel{
			{"Who answers", "", perSecond, false, []query{{expr: rate("mrtr_proxy_asks_total", "source"), legend: "{{source}}"}}},
			{"What comes of it", "", perSecond, false, []query{{expr: rate("mrtr_proxy_asks_total", "kind, outcome"), legend: "{{kind}} {{outcome}}"}}},
			{"Rules that decide", "", perSecond, false, []query{{expr: rate("mrtr_proxy_policy_decisions_total", "rule, action"), legend: "{{rule}}: {{action}}"}}},
		}},
		{"Servers", []panel{
			{"Attempts by outcome", "", perSecond, false, []query{{expr: rate("mrtr_proxy_attempts_total", "route, outcome"), legend: "{{route}} {{outcome}}"}}},
			{"Era", "What each server speaks, as far as is known.", short, false, []query{{expr: `max by (route, era) (mrtr_proxy_upstream_era{route=~"$route"}) == 1`, legend: "{{route}} {{era}}"}}},
			{"Sessions by revision", "As agreed on in the handshake.", perSecond, false, []query{{expr: rate("mrtr_proxy_sessions_opened_total", "requested, negotiated"), legend: "{{requested}} → {{negotiated}}"}}},
		}},
		{"The process", []panel{
			{"Open now", "", short, false, []query{
				{expr: `sum by (kind) (mrtr_proxy_streams_open{route=~"$route"})`, legend: "streams: {{kind}}"},
				{expr: `sum(mrtr_proxy_round_trips_open{route=~"$route"})`, legend: "round trips"},
			}},
			{"Messages that are dropped", "", perSecond, false, []query{{expr: `sum by (direction, reason) (rate(mrtr_proxy_messages_dropped_total[$__rate_interval]))`, legend: "{{direction}}: {{reason}}"}}},
			{"Memory", "", bytes, false, []query{
				{expr: `process_resident_memory_bytes and on (instance) mrtr_proxy_build_info`, legend: "{{instance}} resident"},
				{expr: `go_memstats_heap_inuse_bytes and on (instance) mrtr_proxy_build_info`, legend: "{{instance}} heap"},
			}},
		}},
	}
}
