package answer

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// A rule on trial is counted and recorded with what it would have come to, and the client is asked all the same.
func TestARuleOnTrial(t *testing.T) {
	for _, tc := range []struct {
		rule    policy.Spec
		label   string
		outcome string
	}{
		{policy.Spec{Action: "accept", Args: json.RawMessage(`{"content":{"port":1}}`)}, "observed_accept", "accept"},
		{policy.Spec{Action: "accept", Args: json.RawMessage(`{"content":{"port":"x"}}`)}, "observed_accept", "invalid"},
		{policy.Spec{Action: "decline"}, "observed_decline", "decline"},
		{policy.Spec{Action: "fail", Args: json.RawMessage(`{"message":"no"}`)}, "observed_fail", "refused"},
		{policy.Spec{Action: "forward"}, "observed_forward", ""},
		{policy.Spec{Action: "desk"}, "observed_desk", ""},
		{policy.Spec{Action: "decline", Match: json.RawMessage(`{"when":"request.args.absent == 1"}`)}, "observed_error", "refused"},
	} {
		tc.rule.Name, tc.rule.Mode = "new", "observe"
		extra := Parsers(unasked(t))
		b := newBench(t, DefaultSettings(), extra, tc.rule)
		_ = b.want(t, b.about(says(`{"action":"accept","content":{"port":2}}`)), formAsk(portSchema),
			settled{answer: `{"action":"accept","content":{"port":2}}`, source: "client", outcome: "accept"})
		if n := b.counted(t, "policy_decisions_total", "new", tc.label); n != 1 {
			t.Errorf("%s: counted %v times", tc.label, n)
		}
		want := []Observation{{"new", tc.rule.Action, tc.outcome}}
		if r := b.audit.all[0]; !slices.Equal(r.Observed, want) || r.Rule != "" || r.Action != "forward" {
			t.Errorf("%s: recorded as %+v", tc.label, r)
		}
		p := b.Preview(b.about(says("")), formAsk(portSchema))
		if !p.Open || p.Source != "client" || !slices.Equal(p.Observed, want) || p.Action != "forward" {
			t.Errorf("%s: foretold as %+v", tc.label, p)
		}
	}
}

// unasked is a source that must not be asked.
func unasked(t *testing.T) *source {
	return &source{answer: func(context.Context) (json.RawMessage, error) {
		t.Error("the source was asked")
		return nil, ErrForward
	}}
}

// A preview is what Settle does, as far as nobody has to be asked.
func TestPreview(t *testing.T) {
	for _, tc := range []struct {
		rule string
		args string
		ask  string // kind
		mute bool   // the client cannot be asked
		want string // source, outcome, answer or reason
	}{
		{"accept", `{"content":{"port":1}}`, "form", false, `policy accept {"action":"accept","content":{"port":1}}`},
		{"accept", `{"content":{"port":"x"}}`, "form", false, `policy invalid invalid_response`},
		{"accept", `{"expr":{"port":"request.args.absent"}}`, "form", false, `policy refused refused`},
		{"roots", `[]`, "roots", false, `policy answered {"roots":[]}`},
		{"fail", `{"message":"no"}`, "form", false, `policy refused refused`},
		{"forward", `{}`, "form", false, `client asked`},
		{"forward", `{}`, "form", true, `client no_channel {"action":"cancel"}`},
		{"forward", `{}`, "roots", true, `client no_channel no_channel`},
		{"desk", `{}`, "form", true, `hook asked`},
		{"forward", `{}`, "bad link", false, `policy refused refused`},
		{"desk", `{}`, "bad link", false, `policy refused refused`},
		{"decline", `{}`, "bad schema", false, `policy invalid protocol`},
	} {
		b := newBench(t, DefaultSettings(), Parsers(unasked(t)), policy.Spec{Name: "r", Action: tc.rule, Args: json.RawMessage(tc.args)})
		c := b.about(says("never asked"))
		if tc.mute {
			c.Channel = nil
		}
		a := formAsk(portSchema)
		switch tc.ask {
		case "roots":
			a = rootsAsk
		case "bad link":
			a = linkAsk("https://a@b.example")
		case "bad schema":
			a = formAsk(`{"$ref":"#"}`)
		}
		p := b.Preview(c, a)
		got := p.Source + " " + p.Outcome
		switch {
		case p.Open:
			got += "asked"
		case p.Failure != nil && p.Failure.Reason != 0:
			got += " " + p.Failure.Reason.String()
		case p.Failure != nil:
			got += " " + p.Failure.Kind.String()
		default:
			got += " " + string(p.Answer)
		}
		if got != tc.want {
			t.Errorf("%s %s on %s: %s, want %s", tc.rule, tc.args, tc.ask, got, tc.want)
		}
		if len(b.audit.all) > 0 || b.counted(t, "asks_total")+b.counted(t, "policy_decisions_total") > 0 {
			t.Errorf("%s %s on %s was counted or recorded", tc.rule, tc.args, tc.ask)
		}
	}
}
