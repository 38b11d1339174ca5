package answer

import (
	"encoding/json"
	"errors"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// policy answers as the rule says. What does not fit the ask fails the check like anyone's answer.
func (j *job) policy(action policy.Action) ending {
	switch act := action.(type) {
	case *policy.Accept:
		return j.accept(act)
	case *policy.Roots:
		raw := append([]byte(`{"roots":`), act.List...)
		return j.checked(sourcePolicy, append(raw, '}'))
	case *policy.Reply:
		return j.checked(sourcePolicy, reply(act))
	}
	return j.fail(sourcePolicy, metrics.AskRefused, resolver.Refused, "the rule's action is not known")
}

func (j *job) accept(act *policy.Accept) ending {
	content, err := act.ContentFor(j.question)
	if err != nil {
		return j.closed(err)
	}
	if content == nil {
		return j.checked(sourcePolicy, actionObject("accept"))
	}
	raw := append([]byte(`{"action":"accept","content":`), content...)
	return j.checked(sourcePolicy, append(raw, '}'))
}

// reply is a sampling answer (MCP, Sampling: CreateMessageResult).
func reply(act *policy.Reply) json.RawMessage {
	raw := wire.AppendQuoted([]byte(`{"role":"assistant","content":{"type":"text","text":`), act.Text)
	raw = wire.AppendQuoted(append(raw, `},"model":`...), act.Model)
	return append(raw, `,"stopReason":"endTurn"}`...)
}

// actionObject is an elicitation's answer with nothing but an action.
func actionObject(action string) json.RawMessage {
	return json.RawMessage(`{"action":"` + action + `"}`)
}

// closed fails the ask that a rule could not be judged on: what it would have said is not known. The error's own text may
// quote arguments, so only the rule is named.
func (j *job) closed(err error) ending {
	which := "a rule"
	if e, ok := errors.AsType[*policy.EvalError](err); ok && e.Rule != nil {
		j.rule = e.Rule
		which = `the rule "` + e.Rule.Name + `"`
	}
	return j.fail(sourcePolicy, metrics.AskRefused, resolver.Refused, which+" could not be evaluated")
}
