package policy

import (
	"encoding/json"
	"time"
)

// Action is what a rule does with the ask it decides on: *Accept, *Decline, *Cancel, *Roots,
// *Reply, *Forward, *Fail or *Extra.
type Action interface {
	// Verb is the action's key in the configuration and its label in metrics.
	Verb() string
}

// Decline answers an elicitation with "decline".
type Decline struct{}

// Cancel answers an elicitation with "cancel".
type Cancel struct{}

// Roots answers roots/list.
type Roots struct {
	// List is the JSON array of roots, as it was written.
	List json.RawMessage
}

// Reply answers a sampling ask with a text.
type Reply struct {
	Text string
	// Model is never empty; [DefaultModel] when the rule names none.
	Model string
}

// DefaultModel is the model that a [Reply] names when its rule names none.
const DefaultModel = "mrtr-proxy"

// Forward asks the client.
type Forward struct {
	// Timeout bounds the wait for the client's answer; 0 leaves it at input_timeout.
	Timeout time.Duration
}

// Fail ends the request.
type Fail struct {
	// Message is for people; never empty.
	Message string
}

// Extra is an action of a source outside this package.
type Extra struct {
	// Name is the action's verb.
	Name string
	// Parsed is what the action's [ActionParser] made of its arguments.
	Parsed any
}

// Verb returns "accept".
func (*Accept) Verb() string { return "accept" }

// Verb returns "decline".
func (*Decline) Verb() string { return "decline" }

// Verb returns "cancel".
func (*Cancel) Verb() string { return "cancel" }

// Verb returns "roots".
func (*Roots) Verb() string { return "roots" }

// Verb returns "reply".
func (*Reply) Verb() string { return "reply" }

// Verb returns "forward".
func (*Forward) Verb() string { return "forward" }

// Verb returns "fail".
func (*Fail) Verb() string { return "fail" }

// Verb returns the action's name.
func (e *Extra) Verb() string { return e.Name }
