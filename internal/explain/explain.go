package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Explain tells what a configuration makes of a query. It fails when it is not clear which route is meant.
func Explain(c *config.Config, q *Query) (*Report, error) {
	route, err := routeOf(c, q.Route)
	if err != nil {
		return nil, err
	}
	// Nothing is asked, so of the settings only what becomes of a client that cannot be asked matters.
	settings := answer.Settings{OnNoChannel: answer.Fail}
	if c.Answers.OnNoChannel == config.ChoiceCancel {
		settings.OnNoChannel = answer.Cancel
	}
	desk := answer.NewDesk(answer.Options{Policy: route.Rules, Settings: settings})
	about := &answer.Context{
		Route: route.Path, Request: q.Request, Client: q.Client, Round: q.Round, Can: q.Client.Can, Channel: nobody{},
	}
	declared := desk.Declares(about)
	r := &Report{
		Route:    route.Path,
		Request:  Request{q.Request.Method, q.Request.Name},
		Client:   Client{q.Client.Name, q.Client.Version, q.Client.Protocol, capabilities(q.Client.Can), q.Assumed},
		Declared: capabilities(declared),
	}
	for _, a := range q.Asks {
		r.Asks = append(r.Asks, explainAsk(desk, route.Rules, about, a, declared))
	}
	return r, nil
}

func routeOf(c *config.Config, path string) (*config.Route, error) {
	route, paths := c.RouteAt(path), strings.Join(c.Paths(), ", ")
	switch {
	case route != nil:
		return route, nil
	case path == "":
		return nil, fmt.Errorf("there is more than one route, name one of %s", paths)
	}
	return nil, fmt.Errorf("there is no route %q, only %s", wire.Clean(path, maxShown), paths)
}

func capabilities(can wire.Can) json.RawMessage { return wire.Capabilities{Can: can}.Append(nil) }

// nobody is the channel of a client that could be asked.
type nobody struct{}

func (nobody) Ask(context.Context, resolver.Ask) (json.RawMessage, error) {
	return nil, answer.ErrNoChannel
}

func explainAsk(desk *answer.Desk, rules *policy.Set, about *answer.Context, a resolver.Ask, declared wire.Can) Ask {
	out := Ask{Key: a.Key, Kind: a.Kind.String(), Method: a.Method, Declared: declared.Has(a.Needs)}
	question := policy.QuestionOf(a.Key, a.Kind, a.Method, a.Params)
	question.Request, question.Client, question.Route, question.Round = about.Request, about.Client, about.Route, about.Round
	question.ClientCan = about.Can.Has(a.Needs)
	for _, v := range rules.Explain(&question) {
		out.Rules = append(out.Rules, ruleOf(&v))
	}
	// A server that asks what the client does not have and no rule answers is refused before the rules are looked at.
	if !(declared | about.Client.Can).Has(a.Needs) {
		out.Failure = failureOf(resolver.ProtocolFailure("it asks for what was not declared"))
		out.Outcome = "protocol"
		return out
	}
	p := desk.Preview(about, a)
	out.Action, out.Source, out.Asked, out.Outcome, out.Answer = p.Action, p.Source, p.Open, p.Outcome, p.Answer
	if p.Rule != nil {
		out.Rule = p.Rule.Name
	}
	if p.Failure != nil {
		out.Failure = failureOf(p.Failure)
	}
	for _, o := range p.Observed {
		out.Observed = append(out.Observed, Observed(o))
	}
	return out
}
