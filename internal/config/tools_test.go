package config

import (
	"testing"
	"time"
)

// The first pattern that fits counts; what it does not say is the route's.
func TestLimitsOfTools(t *testing.T) {
	c := parsed(t, `
limits:
  input_timeout: 5m
  tools:
    "z*": {max_rounds: 7}
    "deploy_*": {max_rounds: 6, mode: observe}
routes:
  - upstream: {url: "http://a.example"}
    limits:
      max_input_requests: 3
      tools:
        "*_prod": {max_rounds: 1}
        "deploy_[ab]*": {max_rounds: 2, input_timeout: 1s}
  - path: /other
    upstream: {url: "http://b.example"}
`, Options{})
	base := Default().Limits
	base.InputTimeout = 5 * time.Minute
	for _, tc := range []struct {
		route    int
		tool     string
		rounds   int
		mode     Mode
		asks     int
		patience time.Duration
	}{
		{0, "deploy_a_prod", 1, ModeEnforce, 3, 5 * time.Minute},
		{0, "deploy_a", 2, ModeEnforce, 3, time.Second},
		{0, "deploy_c", 6, ModeObserve, 3, 5 * time.Minute},
		{0, "zip", 7, ModeEnforce, 3, 5 * time.Minute},
		{0, "other", 8, ModeEnforce, 3, 5 * time.Minute},
		{1, "deploy_a_prod", 6, ModeObserve, 16, 5 * time.Minute},
	} {
		got := c.Routes[tc.route].Limits
		for _, l := range c.Routes[tc.route].Tools {
			if l.Tools.Match(tc.tool) {
				got = l.Limits
				break
			}
		}
		want := base
		want.MaxRounds, want.Mode, want.MaxInputRequests, want.InputTimeout = tc.rounds, tc.mode, tc.asks, tc.patience
		if got != want {
			t.Errorf("%s on route %d: %+v, want %+v", tc.tool, tc.route, got, want)
		}
	}
}

func TestRefusesLimitsOfTools(t *testing.T) {
	refused(t, good+`limits:
  tools:
    "dep[": {max_rounds: 1}
    "": {}
    a: {max_rounds: 0, colour: red, max_open_round_trips: 1, tools: {}}
    a: {}
    b: [1]
`, `6: limits.tools.dep[: ...
7: limits.tools."": is a pattern that no tool fits
8: limits.tools.a.colour: unknown key
8: limits.tools.a.max_open_round_trips: unknown key
8: limits.tools.a.tools: unknown key
8: limits.tools.a.max_rounds: 0 is less than 1
9: limits.tools.a: is already given in line 8
10: limits.tools.b: is a list, want a mapping`)
}

// A promise that only a file can keep.
func TestRefusingUnrecordedAsksNeedsAFile(t *testing.T) {
	refused(t, good+"audit: {on_failure: refuse}\n", "4: audit.on_failure: refuse needs audit.file: whether the log takes a record is not known")
	parsed(t, good+"audit: {on_failure: refuse, file: a.log}\n", Options{})
}

func TestModeOfARule(t *testing.T) {
	c := parsed(t, good+"policy: {rules: [{name: a, mode: observe, decline: }, {name: b, mode: enforce, decline: }, {name: c, decline: }]}\n", Options{})
	for i, observed := range []bool{true, false, false} {
		if r := c.Routes[0].Rules.Rules()[i]; r.Observed != observed {
			t.Errorf("rule %s is on trial: %t", r.Name, r.Observed)
		}
	}
	// Only what is enforced hides what comes later.
	if len(c.Warnings) != 1 || c.Warnings[0].Field != "policy.rules[2]" {
		t.Errorf("warnings %v", c.Warnings)
	}
	refused(t, good+"policy:\n  rules:\n    - name: a\n      mode: maybe\n      match: {colour: red}\n      decline:\n",
		"7: policy.rules[0].mode: \"maybe\" is none of enforce, observe\n8: policy.rules[0].match.colour: unknown key")
}
