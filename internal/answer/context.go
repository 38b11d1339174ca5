package answer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/policy"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Context is what an ask belongs to. The asks of a round share one, so it is not written to once they are out.
type Context struct {
	Route   string
	Request policy.Request
	Client  policy.Client
	// Round counts the attempts so far.
	Round int
	// Principal and Session are short hashes for the audit and for webhooks, empty where there is none.
	Principal, Session string
	// Can is what the client can be asked on this very request.
	Can wire.Can
	// Channel reaches the client; nil when there is no way to ask it.
	Channel Channel
	// Limits are those of this very request, for InputTimeout and Observe; nil leaves them at the Settings.
	Limits *resolver.Limits
	// Until is when the round trip's time is over; zero is never. An ask has no longer than that.
	Until time.Time
	// Overdue is called, with the ask's key, when an ask has been open for input_timeout: before Settle returns where the
	// limit is enforced, from a goroutine of its own where it is only observed. It may be nil.
	Overdue func(key string)
}

// Channel asks the client the legacy way, on the exchange's own stream.
type Channel interface {
	// Ask returns the client's raw result. Errors: *ClientError when the client answered with one, *Inexpressible when its
	// revision has no form for the ask, ErrNoChannel when it could not be asked, ErrLater when its answer comes with a later request, the context's error when that ended first; the question is then withdrawn.
	Ask(ctx context.Context, a resolver.Ask) (json.RawMessage, error)
}

// ErrNoChannel says that there is no way to put this ask to the client.
var ErrNoChannel = errors.New("the client cannot be asked")

// ErrForward is what an Answerer returns to hand the ask on to the client.
var ErrForward = errors.New("to be forwarded to the client")

// ClientError is the client's own JSON-RPC error in place of an answer. Message is the peer's text as it came.
type ClientError struct {
	Code    int
	Message string
}

func (e *ClientError) Error() string {
	return fmt.Sprintf("the client answered with error %d", e.Code)
}

// Answerer is a source that has been configured by a rule. It is safe for concurrent use.
type Answerer interface {
	// Answer returns the bare answer, which is checked afterwards, or ErrForward. The text of any other error may reach the
	// client and the model, so it holds neither answers nor addresses. It returns soon after ctx has ended.
	Answer(ctx context.Context, c *Context, a resolver.Ask) (json.RawMessage, error)
}

// Factory makes Answerers out of rules.
type Factory interface {
	// Verb is the action's key in a rule.
	Verb() string
	// Source is the label of the answers in metrics and audit.
	Source() string
	// Parse checks what stands under the key; args is valid JSON. It reports all problems at once.
	Parse(args json.RawMessage) (Answerer, []policy.Problem)
}

// Parsers makes the factories known to policy.Compile. The verbs must differ.
func Parsers(factories ...Factory) map[string]policy.ActionParser {
	parsers := make(map[string]policy.ActionParser, len(factories))
	for _, f := range factories {
		parsers[f.Verb()] = func(args json.RawMessage) (any, []policy.Problem) {
			a, problems := f.Parse(args)
			return registered{a, f.Source()}, problems
		}
	}
	return parsers
}

// registered is an Answerer that remembers the label of its source.
type registered struct {
	Answerer
	source string
}
