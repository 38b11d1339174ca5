package answer

import (
	"context"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// observe notes and counts what a rule on trial would make of the ask. Nobody is asked for it.
func (j *job) observe(r *policy.Rule, err error) {
	o := Observation{Rule: r.Name, Action: r.Action.Verb()}
	label := "observed_" + o.Action
	trial := *j
	trial.rule = r
	switch _, asks := trial.wouldAsk(r.Action); {
	case err != nil:
		e := trial.closed(err)
		o.Outcome, label = e.outcome.String(), "observed_error"
	case !asks:
		e := trial.act(context.Background(), r.Action)
		o.Outcome = e.outcome.String()
	}
	j.observed = append(j.observed, o)
	if m := j.desk.options.Metrics; m != nil {
		m.Decisions(r.Name, label).Inc()
	}
}
