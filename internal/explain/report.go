package explain

import (
	"encoding/json"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Report is what becomes of a query. Its JSON is what `explain --json` prints.
type Report struct {
	Route    string          `json:"route"`
	Request  Request         `json:"request"`
	Client   Client          `json:"client"`
	Declared json.RawMessage `json:"declared"` // the client capabilities that go upstream
	Asks     []Ask           `json:"asks"`
}

// Request is the request of the asks.
type Request struct {
	Method string `json:"method"`
	Name   string `json:"name,omitempty"`
}

// Client is who sent it.
type Client struct {
	Name         string          `json:"name,omitempty"`
	Version      string          `json:"version,omitempty"`
	Protocol     string          `json:"protocol,omitempty"`
	Capabilities json.RawMessage `json:"capabilities"`
	Assumed      bool            `json:"assumed,omitempty"` // the capabilities were not given
}

// Ask is what becomes of one ask.
type Ask struct {
	Key      string `json:"key"`
	Kind     string `json:"kind"`
	Method   string `json:"method"`
	Declared bool   `json:"declared"` // what the ask needs goes upstream
	Rules    []Rule `json:"rules"`

	// What decides: Rule is "" for none, and then Action is "forward".
	Rule   string `json:"rule"`
	Action string `json:"action"`
	Source string `json:"source,omitempty"`
	// Asked: the source would be asked now, so there is neither an answer nor a failure.
	Asked    bool            `json:"asked,omitempty"`
	Outcome  string          `json:"outcome,omitempty"`
	Answer   json.RawMessage `json:"answer,omitempty"` // after validation
	Failure  *Failure        `json:"failure,omitempty"`
	Observed []Observed      `json:"observed,omitempty"`
}

// Rule is how a rule stands to an ask.
type Rule struct {
	Name     string   `json:"rule"`
	Action   string   `json:"action"`
	Observed bool     `json:"observed,omitempty"` // it is on trial
	Verdict  Verdict  `json:"verdict"`
	Reasons  []string `json:"reasons,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// Verdict is a word for how a rule stands to an ask.
type Verdict string

// The verdicts.
const (
	Decides  Verdict = "decides"
	Observes Verdict = "observes"  // it matches, and would decide if it were not on trial
	TooLate  Verdict = "too late"  // it matches, but another one has decided
	No       Verdict = "no"        // it does not match
	Fails    Verdict = "fails"     // it cannot be judged, which fails the ask
	Broken   Verdict = "no result" // it cannot be judged, which matters to nobody
)

// Failure is how an ask fails.
type Failure struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason,omitempty"`
	Text   string `json:"text"`
}

// Observed is what a rule on trial would have made of the ask.
type Observed struct {
	Rule    string `json:"rule"`
	Action  string `json:"action"`
	Outcome string `json:"outcome,omitempty"` // "" where somebody would be asked
}

func failureOf(f *resolver.Failure) *Failure {
	return &Failure{Kind: f.Kind.String(), Reason: f.Reason.String(), Text: f.Text}
}

func ruleOf(v *policy.Verdict) Rule {
	r := Rule{Name: v.Rule.Name, Action: v.Rule.Action.Verb(), Observed: v.Rule.Observed, Reasons: v.Reasons, Verdict: No}
	switch {
	case v.Err != nil:
		r.Error, r.Verdict = wire.Clean(v.Err.Error(), 300), Broken
		if v.Reached && !v.Rule.Observed {
			r.Verdict = Fails
		}
	case v.Decides:
		r.Verdict = Decides
	case v.Matches && v.Reached:
		r.Verdict = Observes
	case v.Matches:
		r.Verdict = TooLate
	}
	return r
}
