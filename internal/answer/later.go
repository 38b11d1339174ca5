package answer

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// ErrLater is what a Channel returns that has handed the ask to the client, which answers with a request to come: Settle then
// gives neither an answer nor a failure, and Take takes the answer.
var ErrLater = errors.New("the answer comes with a later request")

// Later is the Channel to a client that is told its asks by the response itself.
type Later struct{}

// Ask implements Channel.
func (Later) Ask(context.Context, resolver.Ask) (json.RawMessage, error) { return nil, ErrLater }

// Taken is the answer of a client to an ask that an earlier response handed to it.
type Taken struct {
	Key    string
	Kind   wire.AskKind
	Asked  time.Time       // when it was handed to the client
	Answer json.RawMessage // valid JSON
}

// Take brings a client's answer to an ask that Settle has left to it, checked, normalised, counted and recorded as every
// other. The ask itself is not at hand any more, so an answer is held to the shape of its kind, and the content of a form to
// being flat and unambiguous; whether it fits the form is left to the server, which asked for it.
func (d *Desk) Take(c *Context, t Taken) (json.RawMessage, *resolver.Failure) {
	a := resolver.Ask{Key: t.Key, Kind: t.Kind, Method: methodOf(t.Kind), Needs: t.Kind.Needs()}
	j := newJob(d, c, &a, t.Asked)
	if t.Kind == wire.ElicitationForm {
		j.form, _ = d.forms.of(nil) // the form without fields, which every flat content fits
	}
	e := j.taken(t.Answer)
	if e.overdue && c.Overdue != nil {
		c.Overdue(t.Key)
	}
	j.record(&e)
	j.count(&e)
	return e.answer, e.failure
}

// taken is the ending of an answer that came with a later request, too late perhaps.
func (j *job) taken(raw json.RawMessage) ending {
	timeout, observed := j.inputTimeout()
	late := timeout > 0 && time.Since(j.begun) >= timeout
	var e ending
	if late && !observed {
		e = j.unanswered(metrics.AskTimeout, resolver.Timeout, j.desk.options.Settings.OnTimeout, "")
	} else {
		e = j.normalised(raw)
	}
	e.overdue = late
	return e
}

func methodOf(k wire.AskKind) string {
	switch k {
	case wire.Sampling:
		return wire.MethodCreateMessage
	case wire.Roots:
		return wire.MethodRootsList
	}
	return wire.MethodElicit
}
