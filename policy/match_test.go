package policy

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

func TestMatch(t *testing.T) {
	prompt := func(q *Question) { q.Request = Request{Method: wire.MethodPromptsGet, Name: "review"} }
	resource := func(q *Question) { q.Request = Request{Method: wire.MethodResourcesRead, Name: "file:///a/b/c.txt"} }
	for _, tc := range []struct {
		match string
		q     *Question
		want  bool
	}{
		{`{}`, form(), true},
		{`null`, roots(), true},
		{`{"method":"elicitation/create"}`, form(), true},
		{`{"method":"elicitation/create"}`, link("https://a.example/"), true},
		{`{"method":"elicitation/create"}`, roots(), false},
		{`{"method":"roots/list"}`, roots(), true},
		{`{"method":"sampling/createMessage"}`, sampling(), true},
		{`{"mode":"form"}`, form(), true},
		{`{"mode":"form"}`, link("https://a.example/"), false},
		{`{"mode":"form"}`, sampling(), false},
		{`{"mode":"url"}`, link("https://a.example/"), true},
		{`{"request":"tools/call"}`, roots(), true},
		{`{"request":"prompts/get"}`, roots(), false},
		{`{"tool":"deploy_*"}`, form(), true},
		{`{"tool":"Deploy_*"}`, form(), false},
		{`{"tool":"review"}`, with(form(), prompt), false},
		{`{"prompt":"review"}`, with(form(), prompt), true},
		{`{"resource":"file:///a/*"}`, with(form(), resource), true},
		{`{"resource":"file:///b/*"}`, with(form(), resource), false},
		{`{"client":"some-*"}`, form(), true},
		{`{"client":"other"}`, form(), false},
		{`{"client_can":true}`, form(), true},
		{`{"client_can":false}`, form(), false},
		{`{"client_can":false}`, with(form(), func(q *Question) { q.ClientCan = false }), true},
		{`{"message":"deploy to production?"}`, form(), true},
		{`{"message":"*prod*"}`, form(), true},
		{`{"message":"*staging*"}`, form(), false},
		{`{"message":"*"}`, sampling(), false},
		{`{"fields":["confirm"]}`, form(), true},
		{`{"fields":["note","confirm"]}`, form(), true},
		{`{"fields":["confirm","port"]}`, form(), false},
		{`{"only_fields":["confirm"]}`, form(), false},
		{`{"only_fields":["confirm","note","port"]}`, form(), true},
		{`{"only_fields":[]}`, form(), false},
		{`{"only_fields":[]}`, asked(wire.ElicitationForm, `{"message":"?"}`), true},
		{`{"only_fields":["confirm"]}`, link("https://a.example/"), false},
		{`{"url_host":"*.example"}`, link("https://a.b.EXAMPLE:8443/x"), true},
		{`{"url_host":"A.example"}`, link("https://a.example/"), true},
		{`{"url_host":"*"}`, link("http://a.example/"), false},
		{`{"url_host":"*"}`, link("https://a.example@evil.example/"), false},
		{`{"url_host":"*"}`, form(), false},
		{`{"when":"request.args.env == 'prod'"}`, form(), true},
		{`{"when":"request.args.env == 'staging'"}`, form(), false},
		{`{"tool":"deploy_*","fields":["confirm"],"when":"round == 2"}`, form(), false},
		{`{"tool":"nothing","when":"request.args.absent == 1"}`, form(), false},
	} {
		set := compiled(t, `{"match":`+tc.match+`,"forward":{}}`)
		r, err := set.Decide(tc.q)
		if err != nil || (r != nil) != tc.want {
			t.Errorf("%s on %s: rule %v, %v, want a match: %v", tc.match, tc.q.Kind, r, err, tc.want)
		}
	}
}

func TestFirstMatchDecides(t *testing.T) {
	set := compiled(t,
		`{"match":{"mode":"url"},"fail":{}}`,
		`{"match":{"tool":"deploy_here"},"accept":{"content":{"port":2}}}`,
		`{"match":{"tool":"deploy_*"},"decline":{}}`,
		`{"roots":[{"uri":"file:///w"}]}`,
	)
	for want, q := range map[string]*Question{
		"r2": form(),
		"r3": with(form(), func(q *Question) { q.Request.Name = "deploy_there" }),
		"r1": link("https://a.example/"),
		"r4": roots(),
		"":   sampling(),
	} {
		r, err := set.Decide(q)
		if err != nil || name(r) != want {
			t.Errorf("%s of %s: rule %q, %v, want %q", q.Kind, q.Request.Name, name(r), err, want)
		}
	}
	if r, err := (*Set)(nil).Decide(form()); r != nil || err != nil {
		t.Errorf("no set: %v, %v", r, err)
	}
}

func name(r *Rule) string {
	if r == nil {
		return ""
	}
	return r.Name
}

// A rule takes only asks that its action can answer.
func TestActionLimitsTheMatch(t *testing.T) {
	for action, want := range map[string]string{
		`"accept":{}`:               "form",
		`"decline":{}`:              "form link",
		`"cancel":null`:             "form link",
		`"roots":[]`:                "roots",
		`"reply":{"text":"x"}`:      "sampling",
		`"forward":{}`:              "form link sampling roots",
		`"webhook":{"url":"x"}`:     "form link sampling roots",
		`"fail":{"message":"none"}`: "form link sampling roots",
	} {
		set := compiled(t, `{`+action+`}`)
		got := ""
		for _, q := range []*Question{form(), link("https://a.example/"), sampling(), roots()} {
			if r, _ := set.Decide(q); r != nil {
				got += " " + map[wire.AskKind]string{wire.ElicitationForm: "form", wire.ElicitationURL: "link", wire.Sampling: "sampling", wire.Roots: "roots"}[q.Kind]
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%s takes%s, want %s", action, got, want)
		}
	}
}

// What two readers may understand differently is not decided on, where a rule reads it.
func TestRepeatedMembersFailWhereTheyAreRead(t *testing.T) {
	twice := asked(wire.ElicitationForm, `{"message":"fine","message":"evil","requestedSchema":{"properties":{"confirm":{}}}}`)
	deep := asked(wire.ElicitationForm, `{"message":"fine","requestedSchema":{"properties":{"confirm":{"default":true,"default":false}}}}`)
	args := with(form(), func(q *Question) { q.Request.Args = []byte(`{"env":"a","env":"prod"}`) })
	for _, tc := range []struct {
		rule string
		q    *Question
		fail bool
	}{
		{`{"match":{"message":"f*"},"decline":{}}`, twice, true},
		{`{"match":{"mode":"form"},"decline":{}}`, twice, true},
		{`{"accept":{}}`, deep, true},
		{`{"match":{"tool":"other","message":"f*"},"decline":{}}`, twice, false},
		{`{"match":{"tool":"deploy*"},"decline":{}}`, twice, false},
		{`{"match":{"when":"request.args.env == 'prod'"},"decline":{}}`, args, true},
		{`{"match":{"when":"request.name == 'x'"},"decline":{}}`, args, false},
		{`{"match":{"message":"x"},"decline":{}}`, args, false},
	} {
		_, err := compiled(t, tc.rule).Decide(tc.q)
		var failed *EvalError
		if errors.As(err, &failed) != tc.fail {
			t.Errorf("%s: %v, want it to fail: %v", tc.rule, err, tc.fail)
		}
	}
}

func TestDecideAllocatesNothingForRulesThatDoNotMatch(t *testing.T) {
	q := form()
	cost := func(n int) float64 {
		rules := make([]string, n)
		for i := range rules {
			rules[i] = `{"match":{"tool":"other","message":"*x*","fields":["a"],"when":"request.args.absent == 1"},"decline":{}}`
		}
		set := compiled(t, append(rules, `{"match":{"mode":"form","message":"*staging*"},"decline":{}}`)...)
		return testing.AllocsPerRun(50, func() {
			if r, err := set.Decide(q); r != nil || err != nil {
				t.Fatal(r, err)
			}
		})
	}
	if one, many := cost(1), cost(100); many > one {
		t.Errorf("%v allocations with 100 rules, %v with one", many, one)
	}
}

// A set serves many exchanges at once.
func TestDecideConcurrently(t *testing.T) {
	set := compiled(t,
		`{"match":{"when":"request.args.o.l.all(x, x == request.args.i)"},"accept":{"expr":{"a":"request.args.i + 0"}}}`,
		`{"forward":{}}`,
	)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			q := form()
			q.Request.Args = fmt.Appendf(nil, `{"i":%d,"o":{"l":[%d,%d]}}`, i, i, i)
			for range 50 {
				r, err := set.Decide(q)
				if err != nil || r != set.Rules()[0] {
					t.Errorf("rule %v, %v", r, err)
					return
				}
				if content, err := r.Action.(*Accept).ContentFor(q); err != nil || string(content) != fmt.Sprintf(`{"a":%d}`, i) {
					t.Errorf("content %s, %v", content, err)
				}
			}
		})
	}
	group.Wait()
}
