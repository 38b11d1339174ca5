package resolver

import (
	"encoding/json"
	"time"
)

// Action is what the driver of a round trip has to do next.
type Action interface{ action() }

type (
	// Send makes an attempt: the original request with these params and none of an
	// earlier round. A nil member is left out; an empty requestState is not nil.
	Send struct {
		Responses json.RawMessage // an object, key → answer
		State     json.RawMessage // a JSON string, byte for byte the server's
	}

	// AskAll puts the asks of a round, all at once. With Observe, an ask that has been
	// open for Timeout is only reported (Overdue) and stays open.
	AskAll struct {
		Asks    []Ask
		Timeout time.Duration
		Observe bool
	}

	// Wait changes nothing: what is under way goes on. It also answers an event that
	// does not fit, such as a late answer.
	Wait struct{}

	// Pause lets some time pass before the retry of a state-only round, then PauseOver.
	Pause struct{ For time.Duration }

	// Done ends the round trip: the final answer goes to the client.
	Done struct{}

	// Fail ends the round trip: open asks are withdrawn, the client gets the failure.
	Fail struct{ Failure *Failure }
)

func (Send) action()   {}
func (AskAll) action() {}
func (Wait) action()   {}
func (Pause) action()  {}
func (Done) action()   {}
func (Fail) action()   {}

// Observer hears what a round trip does, to count it.
type Observer interface {
	// Trip is called for every limit that is hit; observed means that it stopped nothing.
	Trip(l Limit, observed bool)
	// Round is called for every input_required, also for one that trips a limit.
	Round(r Round)
}

// Round describes one input_required.
type Round struct {
	Number     int // attempts so far
	Asks       int
	StateBytes int // of requestState without its quotes; -1 when there is none
	Size       int // bytes of the result
}

type nobody struct{}

func (nobody) Trip(Limit, bool) {}
func (nobody) Round(Round)      {}
