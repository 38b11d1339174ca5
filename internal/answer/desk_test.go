package answer

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	portSchema = `{"type":"object","properties":{"port":{"type":"integer","default":80}},"required":["port"]}`
	everything = wire.CanForm | wire.CanURL | wire.CanSampling | wire.CanRoots
)

func formAsk(schema string) resolver.Ask {
	return resolver.Ask{Key: "q", Kind: wire.ElicitationForm, Method: "elicitation/create", Needs: wire.CanForm,
		Params: json.RawMessage(`{"message":"Which port?","requestedSchema":` + schema + `}`)}
}

func linkAsk(link string) resolver.Ask {
	return resolver.Ask{Key: "q", Kind: wire.ElicitationURL, Method: "elicitation/create", Needs: wire.CanURL,
		Params: json.RawMessage(`{"mode":"url","message":"?","url":"` + link + `"}`)}
}

var (
	samplingAsk = resolver.Ask{Key: "q", Kind: wire.Sampling, Method: "sampling/createMessage", Needs: wire.CanSampling, Params: json.RawMessage(`{"messages":[],"maxTokens":9}`)}
	rootsAsk    = resolver.Ask{Key: "q", Kind: wire.Roots, Method: "roots/list", Needs: wire.CanRoots}
)

// says is a client that answers at once.
type says string

func (s says) Ask(context.Context, resolver.Ask) (json.RawMessage, error) {
	return json.RawMessage(s), nil
}

// fails is a client that cannot.
type fails struct{ err error }

func (f fails) Ask(context.Context, resolver.Ask) (json.RawMessage, error) { return nil, f.err }

// thinks is a client that answers after a while.
type thinks struct {
	d time.Duration
	says
}

func (s thinks) Ask(ctx context.Context, a resolver.Ask) (json.RawMessage, error) {
	select {
	case <-time.After(s.d):
		return s.says.Ask(ctx, a)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// records keeps what was recorded.
type records struct {
	mu  sync.Mutex
	all []Record
}

func (r *records) Record(one Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, one)
}

// bench is a desk with everything it reports to.
type bench struct {
	*Desk
	audit   records
	reg     *prometheus.Registry
	overdue []string
	mu      sync.Mutex
}

func newBench(t *testing.T, s Settings, extra map[string]policy.ActionParser, specs ...policy.Spec) *bench {
	t.Helper()
	set, problems := policy.Compile(specs, extra)
	if len(problems) > 0 {
		t.Fatalf("rules: %v", problems)
	}
	b := &bench{reg: prometheus.NewRegistry()}
	b.Desk = NewDesk(Options{Policy: set, Settings: s, Metrics: metrics.New(b.reg).Route("/mcp"), Auditor: &b.audit})
	return b
}

func (b *bench) about(c Channel) *Context {
	return &Context{Route: "/mcp", Request: policy.Request{Method: "tools/call", Name: "deploy"}, Client: policy.Client{Name: "tester", Can: everything},
		Round: 1, Can: everything, Channel: c, Overdue: func(key string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.overdue = append(b.overdue, key)
		}}
}

// counted gives a counter's value by its labels' values.
func (b *bench) counted(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	families, err := b.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, f := range families {
		if f.GetName() != "mrtr_proxy_"+name {
			continue
		}
		for _, m := range f.GetMetric() {
			have := map[string]bool{}
			for _, l := range m.GetLabel() {
				have[l.GetValue()] = true
			}
			all := true
			for _, want := range labels {
				all = all && have[want]
			}
			if all {
				sum += m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return sum
}

// settled is what a test expects of an ask: an answer, or a failure's reason.
type settled struct {
	answer  string
	reason  resolver.Reason
	source  string
	outcome string
}

func (b *bench) want(t *testing.T, c *Context, a resolver.Ask, want settled) *resolver.Failure {
	t.Helper()
	got, f := b.Settle(t.Context(), c, a)
	if string(got) != want.answer || (f == nil) != (want.answer != "") {
		t.Fatalf("%s: answer %s, failure %v, want %q", a.Kind, got, f, want.answer)
	}
	if f != nil && (f.Reason != want.reason || f.Key != a.Key) {
		t.Errorf("%s: %s of %q (%s), want %s", a.Kind, f.Reason, f.Key, f.Text, want.reason)
	}
	if n := b.counted(t, "asks_total", a.Kind.String(), want.source, want.outcome); n == 0 {
		t.Errorf("%s: not counted as %s, %s", a.Kind, want.source, want.outcome)
	}
	if len(b.audit.all) == 0 {
		t.Fatalf("%s: not recorded", a.Kind)
	}
	if r := b.audit.all[len(b.audit.all)-1]; r.Source != want.source || r.Outcome != want.outcome || r.Answer != nil {
		t.Errorf("%s: recorded as %+v", a.Kind, r)
	}
	return f
}

func TestTheClientsAnswer(t *testing.T) {
	for _, tc := range []struct {
		ask     resolver.Ask
		said    string
		want    string // "": does not fit
		outcome string
	}{
		{formAsk(portSchema), `{"action":"accept","content":{"port":9007199254740993}}`, `{"action":"accept","content":{"port":9007199254740993}}`, "accept"},
		{formAsk(portSchema), ` { "x" : "\u003c" , "content":{"port":1.0}, "action":"accept" } `, ` { "x" : "\u003c" , "content":{"port":1.0}, "action":"accept" } `, "accept"},
		{formAsk(portSchema), `{"action":"accept","content":{"port":"1"}}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":"accept"}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":"accept","content":null}`, ``, "invalid"},
		{formAsk(`{}`), `{"action":"accept"}`, `{"action":"accept"}`, "accept"},
		{formAsk(`null`), `{"action":"accept","content":null}`, `{"action":"accept"}`, "accept"},
		{formAsk(portSchema), `{"action":"reject"}`, `{"action":"decline"}`, "decline"},
		{formAsk(portSchema), `{"action":"decline","content":null}`, `{"action":"decline"}`, "decline"},
		{formAsk(portSchema), `{"action":"cancel","content":{"port":"old"}}`, `{"action":"cancel"}`, "cancel"},
		{formAsk(portSchema), `{"action":"maybe","content":{"port":1}}`, `{"action":"cancel"}`, "cancel"},
		{formAsk(portSchema), `{"action":"reject","_meta":{"a":1e2},"content":{}}`, `{"action":"decline","_meta":{"a":1e2}}`, "decline"},
		{formAsk(portSchema), `{"action":"accept","action":"decline","content":{"port":1}}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":"decline","action":"maybe"}`, ``, "invalid"},
		{formAsk(portSchema), `{"content":{"port":1}}`, ``, "invalid"},
		{formAsk(portSchema), `{"action":null}`, ``, "invalid"},
		{formAsk(portSchema), `"accept"`, ``, "invalid"},
		{linkAsk("https://u.example/a"), `{"action":"accept","content":{"x":1}}`, `{"action":"accept"}`, "accept"},
		{linkAsk("https://u.example/a"), `{"action":"accept"}`, `{"action":"accept"}`, "accept"},
		{samplingAsk, `{"role":"assistant","content":{"type":"text","text":"\u003c"},"model":"m","x":9007199254740993}`, `{"role":"assistant","content":{"type":"text","text":"\u003c"},"model":"m","x":9007199254740993}`, "answered"},
		{samplingAsk, `{"role":"assistant","content":[{"type":"tool_use"},{"type":"text"}],"model":"m"}`, `{"role":"assistant","content":[{"type":"tool_use"},{"type":"text"}],"model":"m"}`, "answered"},
		{samplingAsk, `{"role":"assistant","content":[{"type":"text"},7],"model":"m"}`, ``, "invalid"},
		{samplingAsk, `{"role":"assistant","content":"hi","model":"m"}`, ``, "invalid"},
		{samplingAsk, `{"role":"system","content":{"type":"text"},"model":"m"}`, ``, "invalid"},
		{samplingAsk, `{"role":"assistant","content":{"type":"text"}}`, ``, "invalid"},
		{samplingAsk, `{"action":"accept"}`, ``, "invalid"},
		{samplingAsk, `[]`, ``, "invalid"},
		{rootsAsk, `{"roots":[]}`, `{"roots":[]}`, "answered"},
		{rootsAsk, `{"roots":[ {"uri":"C:/plain"},{"uri":""}],"_meta":{}}`, `{"roots":[ {"uri":"C:/plain"},{"uri":""}],"_meta":{}}`, "answered"},
		{rootsAsk, `{"roots":[{"uri":"file:///c%3A/My%20Docs","name":null,"x":1.0},{"uri":"file:///\u00e9","name":"e"}]}`, `{"roots":[{"uri":"file:///c%3A/My%20Docs","x":1.0},{"uri":"file:///\u00e9","name":"e"}]}`, "answered"},
		{rootsAsk, `{"roots":[{"name":"x"}]}`, ``, "invalid"},
		{rootsAsk, `{"roots":[{"uri":"a","uri":"b"}]}`, ``, "invalid"},
		{rootsAsk, `{"roots":[null]}`, ``, "invalid"},
		{rootsAsk, `{"roots":null}`, ``, "invalid"},
		{rootsAsk, `{}`, ``, "invalid"},
	} {
		// Cancelling for the client never covers up an answer that does not fit.
		b := newBench(t, Settings{OnClientError: Cancel, OnTimeout: Cancel, OnNoChannel: Cancel}, nil)
		f := b.want(t, b.about(says(tc.said)), tc.ask, settled{tc.want, resolver.InvalidResponse, "client", tc.outcome})
		if f != nil && f.Kind != resolver.InputHandler {
			t.Errorf("%s: kind %s", tc.said, f.Kind)
		}
		if b.counted(t, "ask_wait_seconds", tc.ask.Kind.String(), "client") != 1 {
			t.Errorf("%s: the wait was not measured", tc.said)
		}
	}
}

func TestAClientThatGivesNoAnswer(t *testing.T) {
	secret := &ClientError{Code: -32601, Message: "Unsupported\x1b[31m server request " + strings.Repeat("x", 300)}
	for _, tc := range []struct {
		name    string
		channel Channel
		can     wire.Can
		reason  resolver.Reason
		outcome string
		text    string
	}{
		{"error", fails{secret}, everything, resolver.HandlerError, "error", "-32601 Unsupported"},
		{"no stream", nil, everything, resolver.NoChannel, "no_channel", "event"},
		{"cannot be asked now", says(`{}`), 0, resolver.NoChannel, "no_channel", "event"},
		{"no form for it", fails{ErrNoChannel}, everything, resolver.NoChannel, "no_channel", ""},
		{"stream broke", fails{errors.New("write: broken pipe")}, everything, resolver.NoChannel, "no_channel", ""},
	} {
		for _, choice := range []Choice{Fail, Cancel} {
			for _, ask := range []resolver.Ask{formAsk(portSchema), linkAsk("https://u.example"), samplingAsk, rootsAsk} {
				b := newBench(t, Settings{OnClientError: choice, OnNoChannel: choice}, nil)
				c := b.about(tc.channel)
				c.Can = tc.can
				want := settled{"", tc.reason, "client", tc.outcome}
				if choice == Cancel && strings.HasPrefix(ask.Method, "elicitation") {
					want.answer = `{"action":"cancel"}`
				}
				f := b.want(t, c, ask, want)
				if f == nil {
					continue
				}
				word, _, _ := strings.Cut(ask.Method, "/")
				if !strings.Contains(f.Text, word) || !strings.Contains(f.Text, `"q"`) || !strings.Contains(f.Text, tc.text) {
					t.Errorf("%s: %q does not name kind, key and reason", tc.name, f.Text)
				}
				if strings.Contains(f.Text, "\x1b") || strings.Contains(f.Text, strings.Repeat("x", 100)) || strings.Contains(f.Text, "pipe") {
					t.Errorf("%s: %q is not clean", tc.name, f.Text)
				}
			}
		}
	}
}

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
			b.want(t, b.about(asked), linkAsk(link), settled{"", resolver.Refused, "policy", "refused"})
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
	} {
		a := formAsk(`{}`)
		a.Params = json.RawMessage(params)
		b := newBench(t, Settings{OnClientError: Cancel}, nil, policy.Spec{Name: "r", Action: "accept"})
		if f := b.want(t, b.about(says(`{"action":"accept"}`)), a, settled{"", 0, "policy", "invalid"}); f.Kind != resolver.Protocol {
			t.Errorf("%s: %s, want a protocol failure", params, f.Kind)
		}
		if f := Check([]resolver.Ask{rootsAsk, formAsk(portSchema), a}); f == nil || f.Kind != resolver.Protocol || f.Key != "q" || !strings.Contains(f.Text, `"q"`) {
			t.Errorf("%s: %+v before anyone is asked", params, f)
		}
	}
	if f := Check([]resolver.Ask{rootsAsk, samplingAsk, formAsk(portSchema), linkAsk("x:")}); f != nil {
		t.Errorf("a good round: %v", f)
	}
}

// channelFunc is a client made of a function.
type channelFunc func(context.Context, resolver.Ask) (json.RawMessage, error)

func (f channelFunc) Ask(ctx context.Context, a resolver.Ask) (json.RawMessage, error) {
	return f(ctx, a)
}

// source is a source of its own, for the action "desk".
type source struct {
	answer func(context.Context) (json.RawMessage, error)
}

func (*source) Verb() string   { return "desk" }
func (*source) Source() string { return "hook" }
func (s *source) Parse(json.RawMessage) (Answerer, []policy.Problem) {
	return s, nil
}

func (s *source) Answer(ctx context.Context, _ *Context, _ resolver.Ask) (json.RawMessage, error) {
	return s.answer(ctx)
}

func TestASourceOfARule(t *testing.T) {
	for _, tc := range []struct {
		said string
		err  error
		want settled
	}{
		{`{"action":"accept","content":{"port":1}}`, nil, settled{`{"action":"accept","content":{"port":1}}`, 0, "hook", "accept"}},
		{`{"action":"decline","content":{}}`, nil, settled{`{"action":"decline"}`, 0, "hook", "decline"}},
		{``, ErrForward, settled{`{"action":"accept","content":{"port":7}}`, 0, "client", "accept"}},
		{``, errors.New("the desk is closed"), settled{"", resolver.HandlerError, "hook", "error"}},
		{``, context.DeadlineExceeded, settled{"", resolver.Timeout, "hook", "timeout"}},
		{`{"action":"accept","content":{"port":"1"}}`, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
		{`{"action":"reject"}`, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
		{`{"action":"accept"`, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
		{``, nil, settled{"", resolver.InvalidResponse, "hook", "invalid"}},
	} {
		hook := &source{answer: func(context.Context) (json.RawMessage, error) { return json.RawMessage(tc.said), tc.err }}
		b := newBench(t, Settings{OnClientError: Cancel, OnTimeout: Cancel, OnNoChannel: Cancel}, Parsers(hook), policy.Spec{Name: "r", Action: "desk"})
		f := b.want(t, b.about(says(`{"action":"accept","content":{"port":7}}`)), formAsk(portSchema), tc.want)
		if tc.want.outcome == "error" && (!strings.Contains(f.Text, "the desk is closed") || strings.Contains(f.Text, "client")) {
			t.Errorf("%q does not name the source's reason", f.Text)
		}
		if b.counted(t, "policy_decisions_total", "r", "desk") != 1 {
			t.Error("the decision was not counted")
		}
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

func TestPatience(t *testing.T) {
	answer := thinks{5 * time.Second, `{"action":"accept","content":{"port":1}}`}
	for _, tc := range []struct {
		name     string
		settings Settings
		rule     string // a forward's arguments
		trip     time.Duration
		took     time.Duration
		want     settled
		overdue  int
	}{
		{"in time", Settings{InputTimeout: time.Minute}, ``, 0, 5 * time.Second, settled{string(answer.says), 0, "client", "accept"}, 0},
		{"no bound", Settings{}, ``, 0, 5 * time.Second, settled{string(answer.says), 0, "client", "accept"}, 0},
		{"input_timeout, fail", Settings{InputTimeout: time.Second}, ``, 0, time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 1},
		{"input_timeout, cancel", Settings{InputTimeout: time.Second, OnTimeout: Cancel}, ``, 0, time.Second, settled{`{"action":"cancel"}`, 0, "client", "timeout"}, 1},
		{"input_timeout, observed", Settings{InputTimeout: time.Second, Observe: true}, ``, 0, 5 * time.Second, settled{string(answer.says), 0, "client", "accept"}, 1},
		{"a rule's", Settings{InputTimeout: 3 * time.Second, OnTimeout: Cancel}, `{"timeout":"2s"}`, 0, 2 * time.Second, settled{`{"action":"cancel"}`, 0, "client", "timeout"}, 0},
		{"a rule's, observed", Settings{InputTimeout: time.Second, Observe: true}, `{"timeout":"2s"}`, 0, 2 * time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 1},
		{"a rule's that is longer", Settings{InputTimeout: time.Second}, `{"timeout":"2s"}`, 0, time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 1},
		{"the round trip's", Settings{InputTimeout: time.Minute, OnTimeout: Cancel}, ``, time.Second, time.Second, settled{"", resolver.Timeout, "client", "timeout"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rules []policy.Spec
				if tc.rule != "" {
					rules = []policy.Spec{{Name: "r", Action: "forward", Args: json.RawMessage(tc.rule)}}
				}
				b := newBench(t, tc.settings, nil, rules...)
				ctx := t.Context()
				if tc.trip > 0 {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, tc.trip)
					defer stop()
				}
				begun := time.Now()
				got, f := b.Settle(ctx, b.about(answer), formAsk(portSchema))
				if took := time.Since(begun); took != tc.took {
					t.Errorf("took %v, want %v", took, tc.took)
				}
				if string(got) != tc.want.answer || (f == nil) != (tc.want.answer != "") || f != nil && f.Reason != tc.want.reason {
					t.Errorf("answer %s, failure %v", got, f)
				}
				if b.counted(t, "asks_total", tc.want.source, tc.want.outcome) != 1 || b.audit.all[0].Wait != tc.took {
					t.Errorf("not counted as %s, or recorded as %+v", tc.want.outcome, b.audit.all[0])
				}
				b.mu.Lock()
				defer b.mu.Unlock()
				if len(b.overdue) != tc.overdue {
					t.Errorf("overdue %d times, want %d", len(b.overdue), tc.overdue)
				}
			})
		})
	}
}

// A late source fails the ask, and no setting makes a cancel of that.
func TestPatienceWithASource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hook := &source{answer: func(ctx context.Context) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		b := newBench(t, Settings{InputTimeout: time.Second, OnTimeout: Cancel}, Parsers(hook), policy.Spec{Name: "r", Action: "desk"})
		b.want(t, b.about(nil), formAsk(portSchema), settled{"", resolver.Timeout, "hook", "timeout"})
		if len(b.overdue) != 1 {
			t.Errorf("overdue %d times, want once", len(b.overdue))
		}
	})
}

func TestAWithdrawnAskIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, Settings{InputTimeout: time.Minute, OnTimeout: Cancel, OnNoChannel: Cancel}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		got, f := b.Settle(ctx, b.about(thinks{d: time.Hour}), formAsk(portSchema))
		if got != nil || f == nil || f.Reason != 0 {
			t.Errorf("answer %s, failure %+v", got, f)
		}
		if len(b.audit.all) != 0 || b.counted(t, "asks_total") != 0 {
			t.Error("a withdrawn ask was counted or recorded")
		}
	})
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
