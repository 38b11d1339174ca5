package answer

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestRulesDecide(t *testing.T) {
	link := linkAsk("https://u.example/a")
	for _, tc := range []struct {
		name string
		rule policy.Spec
		ask  resolver.Ask
		want settled
	}{
		{"accept", policy.Spec{Action: "accept", Args: json.RawMessage(`{"content":{"port":9007199254740993}}`)}, formAsk(portSchema),
			settled{`{"action":"accept","content":{"port":9007199254740993}}`, 0, "policy", "accept"}},
		{"defaults", policy.Spec{Action: "accept", Args: json.RawMessage(`{"defaults":true}`)}, formAsk(portSchema),
			settled{`{"action":"accept","content":{"port":80}}`, 0, "policy", "accept"}},
		{"a rule's misfit", policy.Spec{Action: "accept", Args: json.RawMessage(`{"content":{"port":"x"}}`)}, formAsk(portSchema),
			settled{"", resolver.InvalidResponse, "policy", "invalid"}},
		{"an expression that fails", policy.Spec{Match: json.RawMessage(`{"when":"request.args.a == 1"}`), Action: "decline"}, formAsk(portSchema),
			settled{"", resolver.Refused, "policy", "refused"}},
		{"consent", policy.Spec{Match: json.RawMessage(`{"mode":"url","url_host":"*.example"}`), Action: "accept"}, link,
			settled{`{"action":"accept"}`, 0, "policy", "accept"}},
		{"decline", policy.Spec{Action: "decline"}, link, settled{`{"action":"decline"}`, 0, "policy", "decline"}},
		{"cancel", policy.Spec{Action: "cancel"}, formAsk(portSchema), settled{`{"action":"cancel"}`, 0, "policy", "cancel"}},
		{"decline a bad link", policy.Spec{Action: "decline"}, linkAsk("javascript:x"), settled{`{"action":"decline"}`, 0, "policy", "decline"}},
		{"roots", policy.Spec{Action: "roots", Args: json.RawMessage(`[{"uri":"file:///srv/work","name":"work"}]`)}, rootsAsk,
			settled{`{"roots":[{"uri":"file:///srv/work","name":"work"}]}`, 0, "policy", "answered"}},
		{"reply", policy.Spec{Action: "reply", Args: json.RawMessage(`{"text":"no \"x\"","model":"m"}`)}, samplingAsk,
			settled{`{"role":"assistant","content":{"type":"text","text":"no \"x\""},"model":"m","stopReason":"endTurn"}`, 0, "policy", "answered"}},
		{"fail", policy.Spec{Action: "fail", Args: json.RawMessage(`{"message":"sampling is not allowed here"}`)}, samplingAsk,
			settled{"", resolver.Refused, "policy", "refused"}},
	} {
		tc.rule.Name = "r"
		b := newBench(t, Settings{OnNoChannel: Cancel, OnClientError: Cancel}, nil, tc.rule)
		f := b.want(t, b.about(nil), tc.ask, tc.want)
		if tc.name == "fail" && !strings.Contains(f.Text, "sampling is not allowed here") {
			t.Errorf("the rule's message is missing: %q", f.Text)
		}
		if r := b.audit.all[0]; r.Rule != "r" || r.Action != tc.rule.Action {
			t.Errorf("%s: recorded as %+v", tc.name, r)
		}
		if n := b.counted(t, "policy_decisions_total", "r", tc.rule.Action); (n == 1) == (tc.name == "an expression that fails") {
			t.Errorf("%s: decided %v times", tc.name, n)
		}
	}
}

// What is no link to follow is shown to nobody, whoever would have decided on it.
func TestABadLinkIsShownToNobody(t *testing.T) {
	shown := false
	asked := channelFunc(func(context.Context, resolver.Ask) (json.RawMessage, error) {
		shown = true
		return json.RawMessage(`{"action":"accept"}`), nil
	})
	hook := &source{answer: func(context.Context) (json.RawMessage, error) {
		shown = true
		return json.RawMessage(`{"action":"accept"}`), nil
	}}
	for _, link := range []string{"http://u.example/", "javascript:alert(1)", "https://good.example@evil.example/", `https:\\u.example`, "https://u.example/\\n", ""} {
		for _, rules := range [][]policy.Spec{nil, {{Name: "r", Action: "forward"}}, {{Name: "r", Action: "desk"}}} {
			b := newBench(t, Settings{OnNoChannel: Cancel, OnClientError: Cancel}, Parsers(hook), rules...)
			_ = b.want(t, b.about(asked), linkAsk(link), settled{"", resolver.Refused, "policy", "refused"})
		}
	}
	if shown {
		t.Error("a link was shown")
	}
}

func TestASchemaThatCannotBeCheckedIsTheServersFault(t *testing.T) {
	for _, params := range []string{
		`{"message":"?","requestedSchema":{"$ref":"#"}}`,
		`{"message":"?","requestedSchema":[]}`,
		`{"message":"?","schema":{"type":"object"}}`,
		`{"message":"?","requestedSchema":{},"requestedSchema":{"type":"object"}}`,
	} {
		a := formAsk(`{}`)
		a.Params = json.RawMessage(params)
		b := newBench(t, Settings{OnClientError: Cancel}, nil, policy.Spec{Name: "r", Action: "accept"})
		if f := b.want(t, b.about(says(`{"action":"accept"}`)), a, settled{"", 0, "policy", "invalid"}); f.Kind != resolver.Protocol {
			t.Errorf("%s: %s, want a protocol failure", params, f.Kind)
		}
		if f := NewDesk(Options{}).Check([]resolver.Ask{rootsAsk, formAsk(portSchema), a}); f == nil || f.Kind != resolver.Protocol || f.Key != "q" || !strings.Contains(f.Text, `"q"`) {
			t.Errorf("%s: %+v before anyone is asked", params, f)
		}
	}
	if f := NewDesk(Options{}).Check([]resolver.Ask{rootsAsk, samplingAsk, formAsk(portSchema), linkAsk("x:")}); f != nil {
		t.Errorf("a good round: %v", f)
	}
}

func TestTheRecordOfAnAsk(t *testing.T) {
	b := newBench(t, Settings{}, nil)
	o := b.options
	o.AuditValues = true
	b.Desk = NewDesk(o)
	c := b.about(says(`{"action":"accept","content":{"port":1}}`))
	c.Session, c.Principal, c.Client.Name, c.Round = "5e55", "9219", "evil\nname"+strings.Repeat("x", 200), 3
	a := formAsk(portSchema)
	a.Key = "k\x1by"
	if _, f := b.Settle(t.Context(), c, a); f != nil {
		t.Fatal(f)
	}
	r := b.audit.all[0]
	if r.Route != "/mcp" || r.Session != "5e55" || r.Principal != "9219" || r.Method != "tools/call" || r.Name != "deploy" || r.Round != 3 ||
		r.Kind != "elicitation_form" || len(r.Fields) != 1 || r.Fields[0] != "port" || r.Rule != "" || r.Action != "forward" ||
		string(r.Answer) != `{"action":"accept","content":{"port":1}}` || r.Time.IsZero() {
		t.Errorf("recorded %+v", r)
	}
	if strings.ContainsAny(r.Client+r.Key, "\n\x1b") || len(r.Client) > 110 {
		t.Errorf("recorded peers' text as %q and %q", r.Client, r.Key)
	}
}

// A client may show another link than the one that was looked at.
func TestALinkThatReadsInTwoWays(t *testing.T) {
	for _, twice := range []string{`"url":"http://evil.example"`, `"URL":"http://evil.example"`, `"\u0075rl":"http://evil.example"`} {
		a := linkAsk("https://u.example")
		a.Params = json.RawMessage(`{"mode":"url","message":"?","url":"https://u.example",` + twice + `}`)
		b := newBench(t, Settings{OnClientError: Cancel}, nil)
		if f := b.want(t, b.about(says(`{"action":"accept"}`)), a, settled{"", 0, "policy", "invalid"}); f.Kind != resolver.Protocol {
			t.Errorf("%s: %s, want a protocol failure", twice, f.Kind)
		}
	}
}

func TestDeclares(t *testing.T) {
	b := newBench(t, Settings{}, nil, policy.Spec{Name: "r", Action: "roots", Args: json.RawMessage(`[]`)})
	c := b.about(nil)
	c.Can = wire.CanForm
	if got := b.Declares(c); got != wire.CanForm|wire.CanRoots {
		t.Errorf("declared %b", got)
	}
	if got := NewDesk(Options{}).Declares(c); got != wire.CanForm {
		t.Errorf("without rules: declared %b", got)
	}
	if _, f := NewDesk(Options{}).Settle(t.Context(), b.about(says(`{"roots":[]}`)), rootsAsk); f != nil {
		t.Errorf("a bare desk: %v", f)
	}
}
