package exchange

import (
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// charge charges the asks of a round to the budgets, and gives the failure when one of
// them is used up. Budgets are held in observe mode, too. When the store cannot tell, the
// round goes on.
func (t *trip) charge(asks []resolver.Ask) *resolver.Failure {
	s := t.service
	if s.Budgets == nil {
		return nil
	}
	c := *t.request.Caller.Ask()
	c.Round = t.state.Rounds()
	r := &budget.Round{First: t.state.Asked() == len(asks), Asks: make([]policy.Question, len(asks)), Principal: t.principal}
	if t.request.Session != (session.ID{}) {
		r.Session = string(t.request.Session[:])
	}
	for i := range asks {
		r.Asks[i] = c.Question(&asks[i])
	}
	denial, err := s.Budgets.Charge(t.ctx, r, time.Now())
	if err != nil || denial == nil {
		return nil
	}
	s.Metrics.BudgetDenied(denial.Budget)
	return resolver.BudgetFailure(denial.Budget, denial.Wait)
}

// principal names who the client is.
func (t *trip) principal() string {
	who := t.request.Caller.Principal()
	return string(who[:])
}
