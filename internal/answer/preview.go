package answer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Preview is what becomes of an ask, as far as that can be told without asking anyone.
type Preview struct {
	Rule   *policy.Rule // that decides; nil for none
	Action string       // what it does; "forward" for none, "" when the rules were not looked at
	Source string       // who answers, or would be asked
	// Open: the source would be asked, so there is neither an answer nor a failure.
	Open    bool
	Outcome string // as in metrics; "" when open
	Answer  json.RawMessage
	Failure *resolver.Failure
	// Observed tells of the rules on trial.
	Observed []Observation
}

// Preview takes an ask to its answer as [Desk.Settle] does, through the same checks, but asks neither the client nor any
// other source. Nothing is counted or recorded. c.Channel says, as for Settle, whether the client could be asked.
func (d *Desk) Preview(c *Context, a resolver.Ask) Preview {
	quiet := *d
	quiet.options.Metrics, quiet.options.Auditor = nil, nil
	j := newJob(&quiet, c, &a, time.Time{})
	action, e := j.decide()
	p := Preview{Action: "forward"}
	if action != nil {
		p.Source, p.Open = j.wouldAsk(action)
	}
	if action != nil && !p.Open {
		e = j.act(context.Background(), action)
	}
	if action == nil {
		p.Action = "" // nothing was decided
	}
	if j.rule != nil {
		p.Rule, p.Action = j.rule, j.rule.Action.Verb()
	}
	p.Observed = j.observed
	if !p.Open {
		p.Source, p.Outcome, p.Answer, p.Failure = e.source, e.outcome.String(), e.answer, e.failure
	}
	return p
}

// wouldAsk tells whether an action asks somebody, and whom.
func (j *job) wouldAsk(action policy.Action) (source string, asks bool) {
	if j.linkProblem() != "" {
		return "", false
	}
	switch action := action.(type) {
	case *policy.Forward:
		return sourceClient, j.question.ClientCan
	case *policy.Extra:
		r, ok := action.Parsed.(registered)
		return r.source, ok
	}
	return "", false
}
