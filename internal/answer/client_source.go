package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// client asks the client, for so long; 0 leaves it at input_timeout.
func (j *job) client(ctx context.Context, patience time.Duration) ending {
	if !j.question.ClientCan {
		return j.unanswered(metrics.AskNoChannel, resolver.NoChannel, j.desk.options.Settings.OnNoChannel, j.whyNot())
	}
	j.question = nil
	if patience > 0 {
		c := deadline.By(ctx, time.Now().Add(patience), errPatience)
		defer c.Release()
		ctx = c
	}
	raw, err := j.about.Channel.Ask(ctx, j.ask)
	if errors.Is(err, ErrLater) {
		return ending{withdrawn: true} // nothing has come of it yet
	}
	if err != nil {
		return j.clientFailed(ctx, err)
	}
	return j.normalised(raw)
}

// whyNot says why the client cannot be asked.
func (j *job) whyNot() string {
	if j.about.Client.Can.Has(j.ask.Needs) {
		return "its request opens no event stream"
	}
	return "it did not declare that it can be asked this"
}

// clientFailed sorts out why there is no answer from the client. Its own error comes first: it is one, whatever the clocks say.
func (j *job) clientFailed(ctx context.Context, err error) ending {
	s := &j.desk.options.Settings
	if own, ok := errors.AsType[*ClientError](err); ok {
		return j.unanswered(metrics.AskError, resolver.HandlerError, s.OnClientError, fmt.Sprintf("%d %s", own.Code, own.Message))
	}
	if none, ok := errors.AsType[*Inexpressible](err); ok {
		return j.unanswered(metrics.AskNoChannel, resolver.NoChannel, s.OnNoChannel, none.Why)
	}
	if e, over := j.late(ctx, sourceClient, s.OnTimeout); over {
		return e
	}
	return j.unanswered(metrics.AskNoChannel, resolver.NoChannel, s.OnNoChannel, "its event stream has ended")
}

// unanswered fails the ask, or cancels it where the setting says so and the kind has a way to say that.
func (j *job) unanswered(o metrics.AskOutcome, r resolver.Reason, choice Choice, detail string) ending {
	if choice == Cancel && (j.ask.Kind == wire.ElicitationForm || j.ask.Kind == wire.ElicitationURL) {
		return ending{source: sourceClient, outcome: o, answer: actionObject("cancel")}
	}
	return j.fail(sourceClient, o, r, detail)
}

// late tells, after a source has failed, whether that was for want of time.
func (j *job) late(ctx context.Context, source string, choice Choice) (e ending, over bool) {
	at := clock(ctx)
	switch {
	case at == notRun:
		return ending{}, false
	case at == withdrawn:
		e = j.fail(source, metrics.AskTimeout, 0, "it was withdrawn")
		e.withdrawn = true
	case source == sourceClient && at != tripClock:
		e = j.unanswered(metrics.AskTimeout, resolver.Timeout, choice, "")
	default:
		e = j.fail(source, metrics.AskTimeout, resolver.Timeout, "")
	}
	e.overdue = at == inputClock
	return e, true
}

// normalised takes the client's shapes for what they mean (MCP, Elicitation: "Response Actions").
func (j *job) normalised(raw json.RawMessage) ending {
	if j.form != nil || j.ask.Kind == wire.ElicitationURL {
		raw = normalise(raw)
	}
	return j.checked(sourceClient, raw)
}
