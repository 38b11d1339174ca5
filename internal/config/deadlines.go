package config

import (
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/policy"
)

// Legacy is what legacy clients need while they wait.
type Legacy struct {
	ResumeWindow    time.Duration // a client whose stream broke may take so long to come back for it; 0 = it cannot
	WaitingProgress time.Duration // between two notifications that a request waits for input; 0 = none
	ClientDeadline  time.Duration // clients give up a request of which they hear nothing after so long; 0 = never
	Deadlines       []Deadline    // go before ClientDeadline, the first that fits counts
}

// Deadline is ClientDeadline for clients of a name.
type Deadline struct {
	Client policy.Pattern
	After  time.Duration
}

func legacyKeys(l *Legacy) section {
	return section{"legacy", []field{
		{"resume_window", duration(&l.ResumeWindow, 0)},
		{"waiting_progress", duration(&l.WaitingProgress, 0)},
		{"client_deadline", duration(&l.ClientDeadline, 0)},
		{"client_deadlines", deadlineList{&l.Deadlines}},
	}}
}

// deadlineList is deadlines by patterns over names of clients, in the order of the file.
type deadlineList struct{ dst *[]Deadline }

func (deadlineList) grammar() string  { return "{ <pattern>: <duration>, ... }" }
func (deadlineList) fallback() string { return "{}" }

func (l deadlineList) read(v value) {
	entries, ok := v.mapping()
	if !ok {
		return
	}
	*l.dst = nil
	for _, e := range entries {
		pattern, err := policy.ParsePattern(e.key)
		if err != nil {
			e.value.fail("%v", err)
		}
		d := Deadline{Client: pattern}
		duration(&d.After, 0).read(e.value)
		*l.dst = append(*l.dst, d)
	}
}
