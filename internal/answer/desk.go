package answer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Options make a Desk.
type Options struct {
	Policy   *policy.Set // nil: no rules
	Settings Settings
	Metrics  *metrics.Route // nil: nothing is counted
	Auditor  Auditor        // nil: nothing is recorded
	// AuditValues puts the answers themselves into the records.
	AuditValues bool
	// RefuseUnrecorded fails an ask whose record is lost. While records are being lost, an ask is refused before anyone is
	// asked; the record of such a refusal is what shows that they can be written again.
	RefuseUnrecorded bool
}

// Desk answers the asks of one route. It is safe for concurrent use.
type Desk struct {
	options Options
	forms   *forms
}

// NewDesk makes a desk.
func NewDesk(o Options) *Desk { return &Desk{options: o, forms: new(forms)} }

// Declares tells what is declared upstream for a request: what the client can be asked and what the rules can answer.
func (d *Desk) Declares(c *Context) wire.Can {
	return d.options.Policy.Declares(&c.Request, &c.Client, c.Route, c.Can)
}

// Check refuses the asks of a round, before anyone is disturbed, when one cannot be read or its schema not be used: a
// protocol failure with the ask's key. Settle checks its ask again.
func (d *Desk) Check(asks []resolver.Ask) *resolver.Failure {
	for i := range asks {
		if _, f := d.read(&asks[i]); f != nil {
			return f
		}
	}
	return nil
}

// Settle brings the answer to an ask, as it goes into inputResponses, or else the failure that ends the round trip. It
// returns soon after ctx has ended. When that was a cancellation the ask is withdrawn: there is a failure without a reason,
// and nothing is counted or recorded. A deadline of ctx is a timeout that no setting turns into a cancel.
func (d *Desk) Settle(ctx context.Context, c *Context, a resolver.Ask) (json.RawMessage, *resolver.Failure) {
	j := newJob(d, c, &a, time.Now())
	ctx, stop := j.limit(ctx)
	defer stop()
	var e ending
	if d.options.RefuseUnrecorded && d.options.Auditor != nil && d.options.Auditor.Failing() {
		e = j.unrecorded(sourcePolicy)
	} else {
		e = j.settle(ctx)
	}
	if e.overdue && c.Overdue != nil {
		c.Overdue(a.Key)
	}
	if !e.withdrawn {
		j.record(&e)
		j.count(&e)
	}
	return e.answer, e.failure
}

// Question is what the rules see of an ask.
func (c *Context) Question(a *resolver.Ask) (q policy.Question) {
	c.question(&q, a)
	return q
}

func (c *Context) question(q *policy.Question, a *resolver.Ask) {
	q.Read(a.Key, a.Kind, a.Method, a.Params)
	q.Request, q.Client, q.Route, q.Round = c.Request, c.Client, c.Route, c.Round
	q.ClientCan = c.Channel != nil && c.Can.Has(a.Needs)
}

// job is one ask on its way to its answer.
type job struct {
	desk     *Desk
	about    *Context
	ask      resolver.Ask
	begun    time.Time
	question *policy.Question // nil once the client is asked, which takes long
	fields   []string         // that a form asks for
	form     *form            // of an elicitation in form mode
	rule     *policy.Rule     // that decided; nil for none
	observed []Observation
}

// newJob takes an ask on.
func newJob(d *Desk, c *Context, a *resolver.Ask, begun time.Time) *job {
	j := new(job)
	j.desk, j.about, j.ask, j.begun = d, c, *a, begun
	j.question = new(policy.Question)
	c.question(j.question, a)
	j.fields = j.question.Fields
	return j
}

// ending is what became of an ask.
type ending struct {
	source  string
	outcome metrics.AskOutcome
	answer  json.RawMessage
	failure *resolver.Failure
	// overdue: input_timeout ran out. withdrawn: the answer is not wanted any more.
	overdue, withdrawn bool
}

// The sources that are always there.
const (
	sourcePolicy = "policy"
	sourceClient = "client"
)

// settle decides and lets the source answer.
func (j *job) settle(ctx context.Context) ending {
	action, e := j.decide()
	if action == nil {
		return e
	}
	if m := j.desk.options.Metrics; m != nil && j.rule != nil {
		m.Decisions(j.rule.Name, action.Verb()).Inc()
	}
	return j.act(ctx, action)
}

// decide says what is to be done; a nil action is an ending already.
func (j *job) decide() (policy.Action, ending) {
	var f *resolver.Failure
	if j.form, f = j.desk.read(&j.ask); f != nil {
		return nil, ending{source: sourcePolicy, outcome: metrics.AskInvalid, failure: f}
	}
	rule, err := j.desk.options.Policy.Judge(j.question, j.observe)
	if err != nil {
		return nil, j.closed(err)
	}
	if rule == nil {
		return &policy.Forward{}, ending{}
	}
	j.rule = rule
	return rule.Action, ending{}
}

// act has the ask answered as the rule says. A link that may not be shown is neither consented to nor passed on.
func (j *job) act(ctx context.Context, action policy.Action) ending {
	switch act := action.(type) {
	case *policy.Fail:
		return j.fail(sourcePolicy, metrics.AskRefused, resolver.Refused, act.Message)
	case *policy.Decline:
		return j.checked(sourcePolicy, actionObject("decline"))
	case *policy.Cancel:
		return j.checked(sourcePolicy, actionObject("cancel"))
	}
	if problem := j.linkProblem(); problem != "" {
		return j.fail(sourcePolicy, metrics.AskRefused, resolver.Refused, "its link is shown to nobody, for "+problem)
	}
	switch act := action.(type) {
	case *policy.Forward:
		return j.client(ctx, act.Timeout)
	case *policy.Extra:
		return j.extra(ctx, act)
	}
	return j.policy(action)
}

// linkProblem says why the link of the ask may not be shown; "" also for an ask without one.
func (j *job) linkProblem() string {
	if j.ask.Kind != wire.ElicitationURL {
		return ""
	}
	return policy.LinkProblem(j.question.URL)
}
