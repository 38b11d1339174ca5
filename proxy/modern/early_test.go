package modern_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// holding has the route hold answers that come before they are asked for.
func holding(o *proxy.Options) { o.Routes[0].HoldEarlyAnswers = true }

// early calls the tool with answers to what nobody has asked yet.
func (c *client) early(responses string) *mcptest.Message {
	return c.call(`"inputResponses":` + responses).Response()
}

// askingOneByOne asks for the keys, a round each.
func askingOneByOne(keys ...string) mcptest.Script {
	return func(a *mcptest.Attempt) mcptest.Reply {
		if a.Number > len(keys) {
			return mcptest.Reply{Result: mcptest.Text(string(a.Param("inputResponses")))}
		}
		return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, mcptest.Form(keys[a.Number-1], "?", mcptest.PortSchema))}
	}
}

// A client may answer ahead: its one request is a whole round trip, of which the server
// sees what it would see of two.
func TestEarlyAnswerIsHeldUntilItIsAskedFor(t *testing.T) {
	w := newWorld(t, holding)
	ask := mcptest.Asking(`"s"`, port)
	w.upstream.Handle("tools/call", ask)
	w.upstream.Handle("prompts/get", ask)
	c := w.client()
	if m := c.early(`{"port":` + portAnswer + `}`); m.Text() != `{"port":`+portAnswer+`}` || string(m.ID) != "1" {
		t.Errorf("%s", m.Raw)
	}
	attempts := w.upstream.Attempts("tools/call")
	if len(attempts) != 2 || attempts[0].IsRetry() || string(attempts[1].State()) != `"s"` {
		t.Errorf("%d attempts, the first %s", len(attempts), attempts[0].Body)
	}
	w.want(1, "requests_total", "era", "modern", "method", "tools/call", "outcome", "ok")
	w.want(1, "rounds_count", "method", "tools/call")
	w.want(2, "rounds_sum", "method", "tools/call")
	w.want(1, "asks_total", "kind", "elicitation_form", "source", "client", "outcome", "accept")
	w.want(0, "messages_dropped_total")
	if all := w.audit.all(); len(all) != 1 || all[0].Source != "client" || all[0].Key != "port" || string(all[0].Answer) != portAnswer {
		t.Errorf("recorded %+v", all)
	}
	m := c.send("1", "prompts/get", "p", `"name":"p","inputResponses":{"port":`+portAnswer+`}`).Response()
	if m.Text() != `{"port":`+portAnswer+`}` {
		t.Errorf("a prompt: %s", m.Raw)
	}
}

// What was not asked for goes nowhere, and what was asked for and not given is asked.
func TestEarlyAnswersThatNobodyAsksFor(t *testing.T) {
	for _, tc := range []struct {
		name, early string
		dropped     float64
		asked       bool
	}{
		{"under another key", `{"wrong":` + portAnswer + `}`, 1, true},
		{"none at all", `{}`, 0, true},
		{"beside the right one", `{"a":{"roots":[]},"port":` + portAnswer + `,"b":{}}`, 2, false},
	} {
		w := newWorld(t, holding)
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
		c := w.client()
		m := c.early(tc.early)
		if isAsked(m) != tc.asked {
			t.Fatalf("%s: %s", tc.name, m.Raw)
		}
		if tc.asked {
			m = c.retry(m, `{"port":`+portAnswer+`}`).Response()
		}
		if m.Text() != `{"port":`+portAnswer+`}` {
			t.Errorf("%s: %s", tc.name, m.Raw)
		}
		if n := len(w.upstream.Attempts("tools/call")); n != 2 {
			t.Errorf("%s: %d attempts", tc.name, n)
		}
		w.want(tc.dropped, "messages_dropped_total", "direction", "upstream", "reason", "late_answer")
	}
	w := newWorld(t, holding)
	w.upstream.Handle("tools/list", mcptest.Always(mcptest.Reply{Result: `{"resultType":"complete","tools":[]}`}))
	if m := w.client().send("1", "tools/list", "", `"inputResponses":{"port":{}}`).Response(); m.Error != nil {
		t.Errorf("a list: %s", m.Raw)
	}
	if w.upstream.Await("tools/list", 1).IsRetry() {
		t.Error("an answer went up with a list")
	}
	w.want(1, "messages_dropped_total", "reason", "late_answer")
}

// An answer is good for one ask, in whichever round that comes.
func TestEarlyAnswersAreUsedOnce(t *testing.T) {
	w := newWorld(t, holding)
	w.upstream.Handle("tools/call", askingOneByOne("a", "b", "a"))
	c := w.client()
	const other = `{"action":"decline"}`
	m := c.early(`{"b":` + other + `,"a":` + portAnswer + `}`)
	if !isAsked(m) || mcptest.Member(m.Result, "inputRequests", "a") == nil {
		t.Fatalf("%s", m.Raw)
	}
	attempts := w.upstream.Attempts("tools/call")
	if len(attempts) != 3 || string(attempts[1].Param("inputResponses")) != `{"a":`+portAnswer+`}` || string(attempts[2].Param("inputResponses")) != `{"b":`+other+`}` {
		t.Fatalf("%d attempts", len(attempts))
	}
	if m = c.retry(m, `{"a":`+other+`}`).Response(); m.Text() != `{"a":`+other+`}` {
		t.Errorf("%s", m.Raw)
	}
}

// Answers to a part of what is asked go up as from a client that comes back with a part
// only: the server, which knows what it can do without, asks again for the rest.
func TestEarlyAnswersToAPart(t *testing.T) {
	w := newWorld(t, holding, ruled(t, rootsRule))
	w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		switch a.Number {
		case 1:
			return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, mcptest.Roots("where"), mcptest.Form("a", "?", mcptest.PortSchema), port)}
		case 2:
			return mcptest.Reply{Result: mcptest.InputRequired(`"has where and a"`, port)}
		}
		return mcptest.Reply{Result: mcptest.Text(string(a.Param("inputResponses")))}
	})
	c := w.client()
	m := c.early(`{"a":` + portAnswer + `}`)
	if got := string(mcptest.Member(m.Result, "inputRequests")); got != `{"port":{"method":"elicitation/create","params":`+port.Params+`}}` {
		t.Fatalf("the client is asked %s", m.Raw)
	}
	if a := w.upstream.Await("tools/call", 2); string(a.Param("inputResponses")) != `{"where":`+rootsAnswer+`,"a":`+portAnswer+`}` {
		t.Errorf("went up as %s", a.Body)
	}
	if m = c.retry(m, `{"port":`+portAnswer+`}`).Response(); m.Text() != `{"port":`+portAnswer+`}` {
		t.Errorf("%s", m.Raw)
	}
}

// Rules decide, whatever the client says ahead.
func TestEarlyAnswersDoNotPrecedeRules(t *testing.T) {
	refuse := policy.Spec{Name: "no", Match: []byte(`{"message":"*port*"}`), Action: "fail", Args: []byte(`{"message":"not here"}`)}
	link := mcptest.Link("link", "go", "http://evil.example/")
	for _, tc := range []struct {
		name    string
		rule    policy.Spec
		ask     mcptest.Ask
		early   string
		want    string // the text; "" for a failure
		dropped float64
	}{
		{"that answer", rootsRule, mcptest.Roots("where"), `{"where":{"roots":[]}}`, `{"where":` + rootsAnswer + `}`, 1},
		{"that fail", refuse, port, `{"port":` + portAnswer + `}`, "", 1},
		{"about links", refuse, link, `{"link":{"action":"accept"}}`, "", 1},
	} {
		w := newWorld(t, holding, ruled(t, tc.rule))
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, tc.ask))
		m := w.client().early(tc.early)
		if f := m.Failure(); tc.want == "" && (f == nil || f.Reason != "refused") || tc.want != "" && m.Text() != tc.want {
			t.Errorf("%s: %s", tc.name, m.Raw)
		}
		w.want(tc.dropped, "messages_dropped_total", "reason", "late_answer")
		w.want(1, "asks_total", "source", "policy")
		w.want(0, "asks_total", "source", "client")
	}
}

// What a client has not declared it cannot answer ahead either.
func TestEarlyAnswersDoNotPrecedeDeclarations(t *testing.T) {
	narrow := policy.Spec{Name: "roots", Match: []byte(`{"method": "roots/list", "when": "false"}`), Action: "roots", Args: []byte(`[]`)}
	w := newWorld(t, holding, ruled(t, narrow))
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("where")))
	c := w.client()
	c.capabilities = `{}`
	if m := c.early(`{"where":{"roots":[]}}`); m.Failure() == nil || m.Failure().Reason != "no_channel" {
		t.Errorf("%s", m.Raw)
	}
}

func TestLimitsHoldForEarlyAnswers(t *testing.T) {
	both := `{"a":` + portAnswer + `,"b":` + portAnswer + `}`
	for _, tc := range []struct {
		limit  string
		set    func(*resolver.Limits)
		rounds int
	}{
		{"max_rounds", func(l *resolver.Limits) { l.MaxRounds = 1 }, 1},
		{"max_rounds", func(l *resolver.Limits) { l.MaxRounds = 2 }, 2},
		{"max_total_input_requests", func(l *resolver.Limits) { l.MaxTotalInputRequests = 1 }, 2},
		{"max_round_trip_time", func(l *resolver.Limits) { l.MaxRoundTripTime = 500 * time.Millisecond }, 3},
	} {
		w := newWorld(t, holding, limited(tc.set))
		ask := askingOneByOne("a", "b")
		w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
			if a.Number == 3 {
				return mcptest.Reply{Write: func(w *mcptest.Writer) { w.Hold() }}
			}
			return ask(a)
		})
		m := w.client().early(both)
		if f := m.Failure(); f == nil || f.Limit != tc.limit || f.Rounds != tc.rounds || !m.IsToolError() {
			t.Errorf("%s: %s", tc.limit, m.Raw)
		}
		w.want(1, "limit_trips_total", "limit", tc.limit, "mode", "enforce")
		w.want(1, "requests_total", "method", "tools/call", "outcome", "limit")
	}
}

// An answer is held to the same whenever it comes.
func TestEarlyAnswersAreChecked(t *testing.T) {
	for _, tc := range []struct{ name, answer, up string }{
		{"an action that is none", `{"action":"bogus"}`, `{"action":"cancel"}`},
		{"no action", `{}`, ""},
		{"content said twice", `{"action":"accept","content":{"port":1,"port":2}}`, ""},
		{"another kind's", `{"roots":[]}`, ""},
	} {
		w := newWorld(t, holding)
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
		m := w.client().early(`{"port":` + tc.answer + `}`)
		if tc.up != "" {
			if m.Text() != `{"port":`+tc.up+`}` {
				t.Errorf("%s: %s", tc.name, m.Raw)
			}
			w.want(1, "asks_total", "source", "client", "outcome", "cancel")
			continue
		}
		if f := m.Failure(); f == nil || f.Reason != "invalid_response" || f.Key != "port" || !m.IsToolError() {
			t.Errorf("%s: %s", tc.name, m.Raw)
		}
		if n := len(w.upstream.Attempts("tools/call")); n != 1 {
			t.Errorf("%s: %d attempts", tc.name, n)
		}
	}
}

// A state-only round is the client's, and answers that nobody has asked for end with the
// request that brought them.
func TestEarlyAnswersEndWithTheirRequest(t *testing.T) {
	w := newWorld(t, holding)
	w.upstream.Handle("tools/call", mcptest.InTurn(
		mcptest.Reply{Result: mcptest.InputRequired(`"later"`)},
		mcptest.Reply{Result: mcptest.InputRequired(`"now"`, port)},
	))
	c := w.client()
	m := c.early(`{"port":` + portAnswer + `}`)
	if !isAsked(m) || mcptest.Member(m.Result, "inputRequests") != nil {
		t.Fatalf("%s", m.Raw)
	}
	w.want(1, "messages_dropped_total", "reason", "late_answer")
	if m = c.retry(m, "").Response(); mcptest.Member(m.Result, "inputRequests", "port") == nil {
		t.Errorf("%s", m.Raw)
	}
}

// Nothing of a request goes up that cannot be right, whatever the route allows.
func TestRefusedEarlyAnswers(t *testing.T) {
	many := make([]string, resolver.MostInputRequests+1)
	for i := range many {
		many[i] = fmt.Sprintf(`"%d":{}`, i)
	}
	for name, tc := range map[string]struct {
		members string
		held    bool
	}{
		"where they are not held": {`"inputResponses":{"port":` + portAnswer + `}`, false},
		"a list":                  {`"inputResponses":[]`, true},
		"a key twice":             {`"inputResponses":{"port":{},"p\u006frt":{}}`, true},
		"no object in it":         {`"inputResponses":{"port":12345}`, true},
		"nothing in it":           {`"inputResponses":{"port":null}`, true},
		"too many":                {`"inputResponses":{` + strings.Join(many, ",") + `}`, true},
		"with a forged state":     {`"requestState":"s","inputResponses":{"port":` + portAnswer + `}`, true},
		"with a state of no kind": {`"requestState":7,"inputResponses":{"port":` + portAnswer + `}`, true},
	} {
		w := newWorld(t, func(o *proxy.Options) { o.Routes[0].HoldEarlyAnswers = tc.held })
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
		s := w.client().call(tc.members)
		if m := s.Response(); s.Status() != http.StatusBadRequest || m.Code() != -32602 {
			t.Errorf("%s: HTTP %d %s", name, s.Status(), m.Raw)
		}
		if n := len(w.upstream.Attempts("tools/call")); n != 0 {
			t.Errorf("%s: %d requests went up", name, n)
		}
	}
}
