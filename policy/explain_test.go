package policy

import (
	"strings"
	"testing"
)

func TestExplain(t *testing.T) {
	set := compiled(t,
		`{"match":{"method":"roots/list"},"roots":[]}`,
		`{"match":{"tool":"other","message":"*rm*"},"decline":{}}`,
		`{"match":{"tool":"deploy_*","when":"request.args.env == 'prod'"},"fail":{}}`,
		`{"match":{"when":"request.args.absent == 1"},"decline":{}}`,
		`{"forward":{}}`,
	)
	type want struct {
		matches, decides, failed bool
		reasons                  string
	}
	got := set.Explain(form())
	for i, w := range []want{
		{false, false, false, "asks of kind roots, this is elicitation_form"},
		{false, false, false, `match.tool: "other" does not match "deploy_here"; match.message: "*rm*" does not match "Deploy to PRODUCTION?"`},
		{true, true, false, `match.tool: "deploy_*" matches "deploy_here"; match.when: request.args.env == 'prod' is true`},
		{false, false, true, ""},
		{true, false, false, "it matches every ask"},
	} {
		v := got[i]
		if v.Rule != set.Rules()[i] || v.Matches != w.matches || v.Decides != w.decides || (v.Err != nil) != w.failed || strings.Join(v.Reasons, "; ") != w.reasons {
			t.Errorf("rule %d: %+v, want %+v", i+1, v, w)
		}
	}
}

// After a rule that fails the ask nothing decides.
func TestExplainStopsAtAFailure(t *testing.T) {
	set := compiled(t, `{"match":{"when":"request.args.absent == 1"},"decline":{}}`, `{"forward":{}}`)
	if v := set.Explain(form()); v[0].Err == nil || v[1].Decides || !v[1].Matches {
		t.Errorf("%+v", v)
	}
}
