package policy

import (
	"errors"
	"fmt"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// EvalError says that a rule could not be judged, or its answer not be built, on an ask. The ask fails,
// whatever the rule would have said.
type EvalError struct {
	// Rule that failed; nil for an action made by hand.
	Rule *Rule
	// Field is a path inside the rule, as in [Problem].
	Field string
	Err   error
}

// Error is short and cleaned: what went wrong may quote what a peer sent.
func (e *EvalError) Error() string {
	name := ""
	if e.Rule != nil {
		name = e.Rule.Name
	}
	return fmt.Sprintf("rule %q: %s: %s", name, e.Field, wire.Clean(e.Err.Error(), maxReason))
}

// Unwrap gives the cause.
func (e *EvalError) Unwrap() error { return e.Err }

// maxReason bounds quoted text of a peer, in characters.
const maxReason = 100

var errRepeated = errors.New("what was sent has repeated members")

// evaluation is one look at one question. What rules share is worked out once, when first needed.
type evaluation struct {
	q *Question

	paramsChecked bool
	paramsErr     error

	linkRead bool
	host     string // of a good link

	args, params       *object
	argsErr            error
	capabilities       *object
	request, ask, from subject
	subjectsReady      bool
}

// checkParams refuses params that two readers may understand differently.
func (e *evaluation) checkParams() error {
	if !e.paramsChecked {
		e.paramsChecked = true
		e.paramsErr = checkObject("params", e.q.Params)
	}
	return e.paramsErr
}

// linkHost is the host of the question's link, "" unless the link is good.
func (e *evaluation) linkHost() string {
	if !e.linkRead {
		e.linkRead = true
		e.host, _ = linkHost(e.q.URL)
	}
	return e.host
}

// checkObject lets an absent value, null and an unambiguous object pass.
func checkObject(what string, raw []byte) error {
	if len(raw) == 0 || wire.KindOf(raw) == 'n' {
		return nil
	}
	if wire.KindOf(raw) != '{' {
		return fmt.Errorf("%s are no object", what)
	}
	var bad *wire.Error
	if err := wire.ValidateStrict(raw); errors.As(err, &bad) && bad.Reason == wire.Duplicate {
		return fmt.Errorf("%s: %w", what, errRepeated)
	} else if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
