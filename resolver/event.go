package resolver

import (
	"encoding/json"
	"time"
)

// Event is something that happened to a round trip, with the time at which it did.
type Event interface{ when() time.Time }

type (
	// Begin starts a round trip: the request has arrived.
	Begin struct{ At time.Time }

	// InputRequired reports that the attempt brought input_required. The Input's
	// memory is not kept: Step copies what it needs.
	InputRequired struct {
		At    time.Time
		Input Input
	}

	// Answered brings one ask its answer, as valid JSON; Step keeps the slice. An
	// answer to no open ask changes nothing.
	Answered struct {
		At     time.Time
		Key    string
		Answer json.RawMessage
	}

	// AskFailed reports that one ask has no answer and will have none. Step fills in
	// the key and the rounds.
	AskFailed struct {
		At      time.Time
		Key     string
		Failure *Failure
	}

	// Overdue reports that one ask has been open for input_timeout. It counts the trip,
	// once an ask, and changes nothing else: when the limit is enforced, the ask's
	// Answered or AskFailed follows. An AskFailed for a timeout counts by itself where
	// no Overdue came before it.
	Overdue struct {
		At  time.Time
		Key string
	}

	// NoMoreAnswers reports that the asks still open stay without answers, as when a
	// modern client retries with a part of them.
	NoMoreAnswers struct{ At time.Time }

	// PauseOver reports that the pause of a state-only round has passed.
	PauseOver struct{ At time.Time }

	// Completed reports that the attempt brought the final answer, a result or an error.
	Completed struct{ At time.Time }

	// Failed ends the round trip from outside: a result that breaks the protocol, a
	// shutdown. Step fills in the rounds. A nil Failure, for an end that the driver
	// itself can tell best, comes back as one of no kind.
	Failed struct {
		At      time.Time
		Failure *Failure
	}

	// Expired reports that State.Deadline has come.
	Expired struct{ At time.Time }
)

func (e Begin) when() time.Time         { return e.At }
func (e InputRequired) when() time.Time { return e.At }
func (e Answered) when() time.Time      { return e.At }
func (e AskFailed) when() time.Time     { return e.At }
func (e Overdue) when() time.Time       { return e.At }
func (e NoMoreAnswers) when() time.Time { return e.At }
func (e PauseOver) when() time.Time     { return e.At }
func (e Completed) when() time.Time     { return e.At }
func (e Failed) when() time.Time        { return e.At }
func (e Expired) when() time.Time       { return e.At }
