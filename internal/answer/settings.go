package answer

import "time"

// Choice is what becomes of an ask that the client left without an answer.
type Choice uint8

// The choices.
const (
	Fail   Choice = iota // the round trip fails
	Cancel               // an elicitation counts as cancelled; every other kind fails all the same
)

// String gives the word of the configuration.
func (c Choice) String() string {
	if c == Cancel {
		return "cancel"
	}
	return "fail"
}

// Settings rule over the client as a source; InputTimeout and Observe over every source.
type Settings struct {
	OnClientError, OnTimeout, OnNoChannel Choice
	// InputTimeout bounds one ask; 0 is no bound.
	InputTimeout time.Duration
	// Observe has InputTimeout reported only (Context.Overdue), and the ask stays open.
	Observe bool
}

// DefaultSettings are the defaults of the configuration's `answers`, and of input_timeout.
func DefaultSettings() Settings {
	return Settings{OnClientError: Fail, OnTimeout: Cancel, OnNoChannel: Cancel, InputTimeout: 10 * time.Minute}
}
