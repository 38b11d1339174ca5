package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Service is what the exchanges of a route share: an immutable snapshot.
type Service struct {
	Upstream *upstream.Upstream
	Desk     *answer.Desk
	Limits   resolver.Limits
	// ToolLimits take the place of Limits for the tools they name; the first that fits counts.
	ToolLimits []ToolLimits
	Gate       *Gate
	// Budgets are charged for every round of asks; nil is none.
	Budgets *budget.Book
	Metrics *metrics.Route
	// Access takes a line for each exchange, at level info; nil takes none. Pseudonym
	// makes the short hashes in it.
	Access    *zap.Logger
	Pseudonym func([]byte) string
}

// Request is what an exchange is about.
type Request struct {
	Call *upstream.Call
	// Session is the client's, for the limit of open round trips; zero for none.
	Session session.ID
	// Answerable is what the session's client or a rule can answer at all: an ask for
	// anything else is the server's fault.
	Answerable wire.Can
	Caller     Caller
	// Early are a client's answers to asks that it has not been handed, by key, for Pass
	// only, which takes out those that it uses. nil is none.
	Early map[string][]byte
}

// Caller is the client as far as only asks are about it: nothing is called without one.
type Caller interface {
	// Ask describes the client to rules and sources.
	Ask() *answer.Context
	// Principal is who the client is, for budgets; zero is nobody known.
	Principal() session.Digest
	// Credential is what a retry goes up under.
	Credential() upstream.Credential
}

// Client is the dialect's end of an exchange: where notifications and the final
// response go. How it is asked is in the answer.Context.
type Client interface {
	upstream.Sink
	// Waiting says that the exchange begins to wait for answers, or with no asks for a
	// server that wants to be asked again later.
	Waiting(asks []resolver.Ask)
	// Resumed says that it waits no longer.
	Resumed()
}

// Ending tells how an exchange went. At most one of Failure and Err is set; with
// neither, the client has its response.
type Ending struct {
	Outcome metrics.Outcome
	// Rounds is the number of attempts that this exchange sent.
	Rounds int
	// Failure is the round trip's own.
	Failure *resolver.Failure
	// Err is the last attempt's.
	Err *upstream.Error
	// Cause is set when the exchange was ended from outside: the client gets no answer.
	Cause error
	// Open is set when the client has to send again; only by Pass, and alone.
	Open *Open
}

// Run sends the request, and sends it again with answers for as long as the server
// needs input and the limits allow it. Everything but the failure, if that is how it
// ends, has been told to the client when Run returns.
func (s *Service) Run(x *Exchange, r *Request, c Client) Ending {
	t := &trip{service: s, exchange: x, request: r, client: c, ctx: x.Context(), limits: s.limitsOf(r.Call)}
	defer t.close()
	return t.run(t.step(resolver.Begin{At: x.Began}))
}

// trip drives one round trip: the step machine decides, trip does.
type trip struct {
	service  *Service
	exchange *Exchange
	request  *Request
	client   Client
	limits   *resolver.Limits

	ctx   context.Context // the exchange's
	until time.Time       // the round trip's deadline, from the first input_required on; zero is none
	over  bool            // it has passed
	state resolver.State
	open  bool
	asked bool // the asks of a round have been out

	passes bool            // asks that no rule answers go to the client by the response
	before int             // attempts of the exchanges before
	asks   []resolver.Ask  // of the present round
	whole  json.RawMessage // the input_required that brought them

	err *upstream.Error // of the attempt that failed
	rpc bool            // the response was a JSON-RPC error
}

func (t *trip) run(action resolver.Action) Ending {
	for {
		switch a := action.(type) {
		case resolver.Send:
			action = t.step(t.send(a))
		case resolver.AskAll:
			t.asks = a.Asks
			if action = t.askAll(a); t.passes && waits(action) {
				if action = t.early(); waits(action) {
					return t.handOver()
				}
			}
		case resolver.Pause:
			if t.asks = nil; t.passes {
				return t.handOver()
			}
			action = t.step(t.pause(a.For))
		case resolver.Done:
			return t.ending(nil)
		case resolver.Fail:
			return t.ending(a.Failure)
		default:
			return t.ending(resolver.ProtocolFailure("the round trip is in no known state"))
		}
	}
}

// step moves the machine. It is not inlined: a state and limits take a lot of stack, which
// an exchange that waits for a person would keep.
//
//go:noinline
func (t *trip) step(e resolver.Event) (a resolver.Action) {
	t.state, a = resolver.Step(t.state, e, *t.limits, observer{t.service})
	return a
}

// send makes one attempt and tells the machine what it brought.
func (t *trip) send(a resolver.Send) resolver.Event {
	if a.Responses != nil || a.State != nil {
		t.request.Call.Credential = t.request.Caller.Credential() // the first one may have expired meanwhile
	}
	ctx, cancel := t.deadline()
	defer cancel()
	res, err := t.service.Upstream.Attempt(ctx, t.request.Call, upstream.Retry{Responses: a.Responses, State: a.State}, t.client)
	t.ended(ctx)
	return t.brought(res, err)
}

// brought is what an attempt brought, for the machine.
func (t *trip) brought(res upstream.Result, err error) resolver.Event {
	now := time.Now()
	if err != nil {
		if t.expired(now) {
			return resolver.Expired{At: now}
		}
		if !errors.As(err, &t.err) {
			t.err = &upstream.Error{Code: wire.CodeInternal, Message: "the request could not be sent"}
		}
		if t.err.Reason == upstream.Protocol {
			f := resolver.ProtocolFailure(t.err.Message)
			t.err = nil
			return resolver.Failed{At: now, Failure: f}
		}
		return resolver.Failed{At: now}
	}
	if res.Outcome != upstream.InputRequired {
		t.rpc = res.Outcome == upstream.RPCError
		return resolver.Completed{At: now}
	}
	t.whole = res.Whole
	in, f := resolver.ParseInput(res.Requests, res.State, res.Size, t.request.Answerable)
	if f != nil {
		return resolver.Failed{At: now, Failure: f}
	}
	return resolver.InputRequired{At: now, Input: in}
}

// begin makes the exchange a round trip that is open: it counts against the limits and
// has a deadline.
func (t *trip) begin() *resolver.Failure {
	if t.passes {
		t.bound()
		return nil
	}
	if t.open {
		return nil
	}
	s := t.service
	if limit, ok := s.Gate.enter(t.request.Session, t.limits); !ok {
		observer{s}.Trip(limit, false)
		return resolver.LimitFailure(limit, *t.limits)
	}
	t.open = true
	s.Metrics.RoundTripsOpen.Inc()
	t.bound()
	return nil
}

func (t *trip) close() {
	if t.open {
		t.service.Gate.leave(t.request.Session)
		t.service.Metrics.RoundTripsOpen.Dec()
	}
}

// pause waits before a state-only retry.
func (t *trip) pause(d time.Duration) resolver.Event {
	if f := t.begin(); f != nil {
		return resolver.Failed{At: time.Now(), Failure: f}
	}
	t.client.Waiting(nil)
	defer t.client.Resumed()
	ctx, cancel := t.deadline()
	defer cancel()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return resolver.PauseOver{At: time.Now()}
	case <-ctx.Done():
		t.ended(ctx)
		return t.interrupted()
	}
}

// deadline is the context for what must not take longer than the round trip may.
func (t *trip) deadline() (context.Context, context.CancelFunc) {
	if t.until.IsZero() {
		return t.ctx, func() {}
	}
	c := deadline.By(t.ctx, t.until, nil)
	return c, c.Release
}

// ended notes when the round trip's time has ended a context. A clock that was set back
// meanwhile, as it may be between the requests of a modern client, would not tell.
func (t *trip) ended(ctx context.Context) { t.over = t.over || ctx.Err() != nil && t.ctx.Err() == nil }

// expired tells whether the round trip's time is over, and nothing else has ended it.
func (t *trip) expired(now time.Time) bool {
	return t.ctx.Err() == nil && (t.over || !t.until.IsZero() && !now.Before(t.until))
}

// interrupted is the event for what was not waited for to its end.
func (t *trip) interrupted() resolver.Event {
	now := time.Now()
	if t.expired(now) {
		return resolver.Expired{At: now}
	}
	return resolver.Failed{At: now}
}
