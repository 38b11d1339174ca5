package modern_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

var port = mcptest.Form("port", "Which port?", mcptest.PortSchema)

const portAnswer = `{"action":"accept","content":{"port":1}}`

// The server's state comes back to it as it was, and the client never sees it.
func TestRoundTripWithoutStateHere(t *testing.T) {
	for _, state := range []string{`"s\u0031"`, `""`, ""} {
		w := newWorld(t)
		w.upstream.Handle("tools/call", mcptest.Asking(state, port))
		c := w.client()
		m := c.call(`"arguments":{"b":1,"a":2}`).Response()
		if !isAsked(m) || string(mcptest.Member(m.Result, "inputRequests", "port", "params")) != port.Params {
			t.Fatalf("%s", m.Raw)
		}
		sealed := string(mcptest.Member(m.Result, "requestState"))
		if len(sealed) < 100 || len(sealed) > 1024 || sealed == state {
			t.Errorf("the client got the state %s", sealed)
		}
		if m := c.retry(m, `{"port":`+portAnswer+`},"arguments":{ "a":2 , "b":1 }`).Response(); m.Text() != `{"port":`+portAnswer+`}` {
			t.Errorf("%s", m.Raw)
		}
		if a := w.upstream.Await("tools/call", 2); string(a.State()) != state {
			t.Errorf("the server got the state %s, want %s", a.State(), state)
		}
		w.want(2, "requests_total", "era", "modern", "method", "tools/call", "outcome", "ok")
		w.want(1, "asks_total", "kind", "elicitation_form", "source", "client", "outcome", "accept")
		if all := w.audit.all(); len(all) != 1 || all[0].Source != "client" || all[0].Key != "port" || string(all[0].Answer) != portAnswer {
			t.Errorf("recorded %+v", all)
		}
	}
}

// Only answers to what this client was asked go up.
func TestOtherAnswersAreIgnored(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
	c := w.client()
	m := c.call("").Response()
	if m := c.retry(m, `{"other":{"action":"accept"},"port":`+portAnswer+`,"toString":{}}`).Response(); m.Text() != `{"port":`+portAnswer+`}` {
		t.Errorf("%s", m.Raw)
	}
	w.want(2, "messages_dropped_total", "direction", "upstream", "reason", "late_answer")
}

// Some answers may be missing: the server asks for them again, or does without.
func TestSomeAnswersMissing(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port, mcptest.Roots("roots")))
	c := w.client()
	m := c.call("").Response()
	if m := c.retry(m, `{"roots":{"roots":[]}}`).Response(); m.Text() != `{"roots":{"roots":[]}}` {
		t.Errorf("%s", m.Raw)
	}
	if m := c.retry(m, "").Response(); m.Text() != "" || m.Error != nil {
		t.Errorf("%s", m.Raw)
	}
}

// A requestState is good for the request, the route and the client that it was given for.
func TestRefusedStates(t *testing.T) {
	w := newWorld(t)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
	w.upstream.Handle("prompts/get", mcptest.Asking(`"s"`, port))
	c := w.client()
	c.Header.Set("Authorization", "Bearer ann")
	state := string(mcptest.Member(c.call("").Response().Result, "requestState"))
	before := len(w.upstream.Attempts(""))
	answers := `,"inputResponses":{"port":` + portAnswer + `}`
	for name, send := range map[string]func() *mcptest.Stream{
		"forged":            func() *mcptest.Stream { return c.call(`"requestState":"s"` + answers) },
		"changed":           func() *mcptest.Stream { return c.call(`"requestState":` + state[:20] + "A" + state[21:] + answers) },
		"with line ends":    func() *mcptest.Stream { return c.call(`"requestState":` + state[:20] + `\n` + state[20:] + answers) },
		"no string":         func() *mcptest.Stream { return c.call(`"requestState":{"a":1}` + answers) },
		"answers alone":     func() *mcptest.Stream { return c.call(answers[1:]) },
		"answers in a list": func() *mcptest.Stream { return c.call(`"requestState":` + state + `,"inputResponses":[]`) },
		"an answer twice": func() *mcptest.Stream {
			return c.call(`"requestState":` + state + `,"inputResponses":{"port":{},"port":{}}`)
		},
		"another request's": func() *mcptest.Stream { return c.call(`"arguments":{"x":1},"requestState":` + state + answers) },
		"another method's": func() *mcptest.Stream {
			return c.send("1", "prompts/get", "release", `"name":"release","requestState":`+state+answers)
		},
		"on a list": func() *mcptest.Stream { return c.send("1", "tools/list", "", `"requestState":`+state) },
		"another client's": func() *mcptest.Stream {
			c := w.client()
			c.Header.Set("Authorization", "Bearer bob")
			return c.call(`"requestState":` + state + answers)
		},
		"without credential": func() *mcptest.Stream { return w.client().call(`"requestState":` + state + answers) },
	} {
		s := send()
		if m := s.Response(); s.Status() != http.StatusBadRequest || m.Code() != -32602 {
			t.Errorf("%s: HTTP %d %s", name, s.Status(), m.Raw)
		}
	}
	if n := len(w.upstream.Attempts("")) - before; n != 0 {
		t.Errorf("%d requests went up", n)
	}
	if m := c.call(`"requestState":` + state + answers).Response(); m.Text() == "" {
		t.Errorf("its own: %s", m.Raw)
	}
}

// An answer that does not have the shape of its kind never goes up.
func TestMisshapenAnswers(t *testing.T) {
	for _, tc := range []struct {
		name, answer string
		ask          mcptest.Ask
	}{
		{"no object", `7`, port}, {"no action", `{}`, port}, {"content that is none", `{"action":"accept","content":[]}`, port},
		{"content said twice", `{"action":"accept","content":{"port":1,"port":2}}`, port},
		{"no list of roots", `{"roots":{}}`, mcptest.Roots("port")}, {"no role", `{"content":{"type":"text"},"model":"m"}`, mcptest.Sampling("port", "?")},
	} {
		w := newWorld(t)
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, tc.ask))
		c := w.client()
		m := c.retry(c.call("").Response(), `{"port":`+tc.answer+`}`).Response()
		if f := m.Failure(); f == nil || f.Kind != "input_handler" || f.Reason != "invalid_response" || f.Key != "port" || !m.IsToolError() {
			t.Errorf("%s: %s", tc.name, m.Raw)
		}
		if n := len(w.upstream.Attempts("tools/call")); n != 1 {
			t.Errorf("%s: %d attempts", tc.name, n)
		}
	}
}

// A state-only round passes to the client, which asks again when it likes.
func TestStateOnlyRoundsPass(t *testing.T) {
	w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxStateOnlyRounds = 2 }))
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Result: mcptest.InputRequired(`"again"`)}))
	c := w.client()
	m := c.call("").Response()
	for range 2 {
		if !isAsked(m) || mcptest.Member(m.Result, "inputRequests") != nil {
			t.Fatalf("%s", m.Raw)
		}
		m = c.retry(m, "").Response()
	}
	if f := m.Failure(); f == nil || f.Limit != "max_state_only_rounds" || f.Rounds != 3 {
		t.Errorf("%s", m.Raw)
	}
	w.want(1, "limit_trips_total", "limit", "max_state_only_rounds", "mode", "enforce")
}

func TestLimitsHoldOverRequests(t *testing.T) {
	forever := func(a *mcptest.Attempt) mcptest.Reply {
		return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, port)}
	}
	t.Run("rounds", func(t *testing.T) {
		w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxRounds = 3 }))
		w.upstream.Handle("tools/call", forever)
		w.upstream.Handle("prompts/get", forever)
		c := w.client()
		m := c.call("").Response()
		for range 2 {
			m = c.retry(m, `{"port":`+portAnswer+`}`).Response()
		}
		if f := m.Failure(); f == nil || f.Kind != "mrtr_round_limit" || f.Limit != "max_rounds" || f.Rounds != 3 || !m.IsToolError() {
			t.Errorf("%s", m.Raw)
		}
		if n := len(w.upstream.Attempts("tools/call")); n != 3 {
			t.Errorf("%d attempts", n)
		}
		prompt := func(members string) *mcptest.Message {
			return c.send("1", "prompts/get", "p", `"name":"p"`+members).Response()
		}
		m = prompt("")
		for range 2 {
			m = prompt(`,"requestState":` + string(mcptest.Member(m.Result, "requestState")))
		}
		if f := m.Failure(); f == nil || f.Limit != "max_rounds" || m.Code() != -32603 {
			t.Errorf("a prompt: %s", m.Raw)
		}
	})
	t.Run("observed", func(t *testing.T) {
		w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxRounds, l.Observe = 1, true }))
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
		c := w.client()
		if m := c.retry(c.call("").Response(), `{"port":`+portAnswer+`}`).Response(); m.Text() == "" {
			t.Errorf("%s", m.Raw)
		}
		w.want(1, "limit_trips_total", "limit", "max_rounds", "mode", "observe")
	})
	t.Run("time", func(t *testing.T) {
		w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxRoundTripTime = 30 * time.Millisecond }))
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
		c := w.client()
		asked := c.call("").Response()
		began := time.Now()
		mcptest.Eventually(t, "its time is over", func() bool { return time.Since(began) > 30*time.Millisecond })
		if f := c.retry(asked, `{"port":`+portAnswer+`}`).Response().Failure(); f == nil || f.Limit != "max_round_trip_time" {
			t.Errorf("%+v", f)
		}
	})
	t.Run("time of one ask", func(t *testing.T) {
		w := newWorld(t, limited(func(l *resolver.Limits) { l.InputTimeout = time.Nanosecond })) // any answer is late
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
		c := w.client()
		asked := c.call("").Response()
		if m := c.retry(asked, `{"port":`+portAnswer+`}`).Response(); m.Text() != `{"port":{"action":"cancel"}}` {
			t.Errorf("%s", m.Raw)
		}
		w.want(1, "limit_trips_total", "limit", "input_timeout", "mode", "enforce")
	})
	t.Run("size of the server's state", func(t *testing.T) {
		w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxRequestStateBytes = 100 }))
		w.upstream.Handle("tools/call", mcptest.Asking(`"`+strings.Repeat("x", 101)+`"`, port))
		if f := w.client().call("").Response().Failure(); f == nil || f.Limit != "max_request_state_bytes" {
			t.Errorf("%+v", f)
		}
	})
	t.Run("asks in all", func(t *testing.T) {
		w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxTotalInputRequests = 2 }))
		w.upstream.Handle("tools/call", forever)
		c := w.client()
		m := c.call("").Response()
		for range 2 {
			m = c.retry(m, `{"port":`+portAnswer+`}`).Response()
		}
		if f := m.Failure(); f == nil || f.Limit != "max_total_input_requests" {
			t.Errorf("%s", m.Raw)
		}
	})
}

func TestFailuresAsErrors(t *testing.T) {
	w := newWorld(t, limited(func(l *resolver.Limits) { l.MaxRounds = 1 }), func(o *proxy.Options) { o.JSONRPCFailures = true })
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, port))
	if m := w.client().call("").Response(); m.Code() != -32603 || m.Failure() == nil {
		t.Errorf("%s", m.Raw)
	}
}

var rootsRule = policy.Spec{Name: "roots", Match: []byte(`{"method":"roots/list"}`), Action: "roots", Args: []byte(`[{"uri":"file:///srv"}]`)}

const rootsAnswer = `{"roots":[{"uri":"file:///srv"}]}`

// What a rule answers is answered here, and the client never hears of it.
func TestRuleAnswersInTheMiddle(t *testing.T) {
	w := newWorld(t, ruled(t, rootsRule))
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("where")))
	c := w.client()
	c.capabilities = `{"x":{}}`
	if m := c.call("").Response(); m.Text() != `{"where":`+rootsAnswer+`}` {
		t.Errorf("%s", m.Raw)
	}
	a := w.upstream.Await("tools/call", 2)
	if string(a.State()) != `"s"` || string(a.Capabilities()) != `{"x":{},"roots":{}}` {
		t.Errorf("went up as %s", a.Body)
	}
	w.want(1, "asks_total", "source", "policy")
	w.want(1, "requests_total", "era", "modern", "method", "tools/call")
}

// Some asks are the rules' and the rest the client's: the answers meet in one retry.
func TestRuleAnswersAPart(t *testing.T) {
	w := newWorld(t, ruled(t, rootsRule))
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("a"), port, mcptest.Roots("b")))
	c := w.client()
	c.capabilities = `{"elicitation":{}}`
	m := c.call("").Response()
	if got := string(mcptest.Member(m.Result, "inputRequests")); got != `{"port":{"method":"elicitation/create","params":`+port.Params+`}}` {
		t.Fatalf("the client is asked %s", got)
	}
	if strings.Contains(string(m.Raw), "file:///srv") {
		t.Error("the client sees what the rule said")
	}
	m = c.retry(m, `{"a":{"roots":[]},"port":`+portAnswer+`}`).Response()
	if m.Text() != `{"a":`+rootsAnswer+`,"port":`+portAnswer+`,"b":`+rootsAnswer+`}` {
		t.Errorf("%s", m.Raw)
	}
	w.want(1, "messages_dropped_total", "direction", "upstream", "reason", "late_answer")
}

// What a client has not declared never reaches it, whatever rules make the server ask.
func TestAnAskReachesNoClientAroundItsDeclaration(t *testing.T) {
	narrow := policy.Spec{Name: "roots", Match: []byte(`{"method": "roots/list", "when": "false"}`), Action: "roots", Args: []byte(`[]`)}
	for _, tc := range []struct {
		name    string
		declare string
		ask     mcptest.Ask
		failure string
	}{
		{"that no rule may answer", `{}`, port, "protocol"},
		{"that a rule might have answered", `{}`, mcptest.Roots("port"), "input_handler"},
		{"in another mode", `{"elicitation":{"form":{}}}`, mcptest.Link("port", "go", "https://u.example/"), "protocol"},
	} {
		w := newWorld(t, ruled(t, narrow))
		w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, tc.ask))
		c := w.client()
		c.capabilities = tc.declare
		m := c.call("").Response()
		if f := m.Failure(); isAsked(m) || f == nil || f.Kind != tc.failure {
			t.Errorf("%s: %s", tc.name, m.Raw)
		}
	}
}

// A rule's fail takes its kind out of what goes up, and ends a call that asks all the same.
func TestRuleRefuses(t *testing.T) {
	w := newWorld(t, ruled(t, policy.Spec{Name: "no", Match: []byte(`{"method": "sampling/createMessage"}`), Action: "fail", Args: []byte(`{"message":"not here"}`)}))
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Sampling("q", "?"), port))
	m := w.client().call("").Response()
	if f := m.Failure(); f == nil || f.Reason != "refused" || f.Key != "q" || !strings.Contains(m.Text(), "not here") {
		t.Errorf("%s", m.Raw)
	}
	if a := w.upstream.Await("tools/call", 1); a.Capabilities("sampling") != nil || a.Capabilities("elicitation") == nil {
		t.Errorf("declared %s", a.Capabilities())
	}
}
