package policy

import (
	"strings"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// trial compiles rules of which those whose name begins with "trial" are only observed.
func trial(t *testing.T, rules ...string) *Set {
	t.Helper()
	list := specs(t, rules...)
	for i := range list {
		if strings.HasPrefix(list[i].Name, "trial") {
			list[i].Mode = "observe"
		}
	}
	return mustCompile(t, list...)
}

// A rule on trial decides nothing and hides nothing; what it would have done is told up to the rule that decides.
func TestRulesOnTrial(t *testing.T) {
	for _, tc := range []struct {
		rules    []string
		decides  string
		observed string
	}{
		{[]string{`{"name":"trial","fail":{}}`}, "", "trial"},
		{[]string{`{"name":"trial","fail":{}}`, `{"name":"a","decline":{}}`}, "a", "trial"},
		{[]string{`{"name":"a","decline":{}}`, `{"name":"trial","fail":{}}`}, "a", ""},
		{[]string{`{"name":"trial","match":{"tool":"other"},"fail":{}}`, `{"name":"a","decline":{}}`}, "a", ""},
		{[]string{`{"name":"trial1","fail":{}}`, `{"name":"trial2","cancel":{}}`}, "", "trial1 trial2"},
		{[]string{`{"name":"trial","match":{"when":"request.args.absent == 1"},"fail":{}}`, `{"name":"a","decline":{}}`}, "a", "trial!"},
	} {
		set := trial(t, tc.rules...)
		var observed []string
		r, err := set.Judge(form(), func(r *Rule, err error) {
			name := r.Name
			if err != nil {
				name += "!"
			}
			observed = append(observed, name)
		})
		quiet, quietErr := set.Decide(form())
		if name(r) != tc.decides || err != nil || r != quiet || quietErr != nil || strings.Join(observed, " ") != tc.observed {
			t.Errorf("%s: %s decides, %q observed, %v; want %s, %q", tc.rules, name(r), observed, err, tc.decides, tc.observed)
		}
		for _, v := range set.Explain(form()) {
			if v.Decides != (v.Rule == r) {
				t.Errorf("%s: explained as %+v", tc.rules, v)
			}
		}
	}
}

// What would decide opens no question and closes none.
func TestRulesOnTrialDeclareNothing(t *testing.T) {
	set := trial(t, `{"name":"trial1","roots":[]}`, `{"name":"trial2","match":{"method":"sampling/createMessage"},"fail":{}}`)
	q := form()
	if can := set.Declares(&q.Request, &q.Client, "/mcp", wire.CanSampling); can != wire.CanSampling {
		t.Errorf("declares %b", can)
	}
}

func TestModeOfARule(t *testing.T) {
	for mode, good := range map[string]bool{"": true, "enforce": true, "observe": true, "Observe": false, "off": false} {
		set, problems := Compile([]Spec{{Name: "a", Action: "fail", Mode: mode}}, nil)
		if good != (set != nil) || !good && (len(problems) != 1 || problems[0].Field != "mode") {
			t.Errorf("%q: %+v", mode, problems)
		}
		if good && set.Rules()[0].Observed != (mode == "observe") {
			t.Errorf("%q: on trial: %t", mode, set.Rules()[0].Observed)
		}
	}
}

func TestPattern(t *testing.T) {
	p, err := ParsePattern("deploy_*")
	if err != nil || !p.Match("deploy_a/b") || p.Match("undeploy_a") || p.String() != "deploy_*" {
		t.Errorf("%v, %v", p, err)
	}
	if (Pattern{}).Match("") || (Pattern{}).String() != "" {
		t.Error("no pattern matches something")
	}
	if _, err := ParsePattern("dep["); err == nil {
		t.Error("dep[ is taken")
	}
}
