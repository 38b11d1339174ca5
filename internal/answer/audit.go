package answer

import (
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Auditor takes down what became of every ask. It is safe for concurrent use and does not keep the record's slices.
type Auditor interface {
	// Record takes down one ask. An error means that the record is lost.
	Record(r Record) error
	// Failing reports whether the last record was lost.
	Failing() bool
}

// Record is one settled ask. It never holds a requestState. What peers made up is cleaned and cut.
type Record struct {
	Time               time.Time // when the ask was settled
	Route              string
	Session, Principal string // short hashes, "" for none
	Client             string // the client's name
	Method, Name       string // of the request
	Round              int
	Key, Kind          string   // of the ask
	Fields             []string // that a form asked for
	Rule, Action       string   // what decided; "" and "forward" where no rule matched
	Source, Outcome    string   // who answered, and what happened
	Wait               time.Duration
	Observed           []Observation // what rules on trial would have made of it
	// Answer is what goes upstream; nil unless values were asked for and there is an answer.
	Answer json.RawMessage
}

// Observation is what a rule on trial would have made of an ask.
type Observation struct {
	Rule, Action string
	// Outcome is "" where somebody would have been asked.
	Outcome string
}

// A record has bounds too.
const (
	maxAuditFields = 64
	maxAuditName   = 256 // characters of a tool, prompt or URI
)

func (j *job) count(e *ending) {
	if m := j.desk.options.Metrics; m != nil {
		s := m.Source(e.source)
		s.Asks(j.ask.Kind, e.outcome).Inc()
		s.Wait(j.ask.Kind).Observe(time.Since(j.begun).Seconds())
	}
}

// record takes an ending down. One that cannot be taken down may not count: it becomes a refusal then.
func (j *job) record(e *ending) {
	o := &j.desk.options
	if o.Auditor == nil {
		return
	}
	if o.Auditor.Record(j.entry(e)) == nil {
		return
	}
	if o.Metrics != nil {
		o.Metrics.AuditLost.Inc()
	}
	if o.RefuseUnrecorded {
		*e = j.unrecorded(e.source)
	}
}

// unrecorded refuses an ask that cannot be taken down.
func (j *job) unrecorded(source string) ending {
	return j.fail(source, metrics.AskRefused, resolver.Refused, "it cannot be recorded")
}

// entry is the record of an ending.
func (j *job) entry(e *ending) Record {
	o := &j.desk.options
	now := time.Now()
	c := j.about
	r := Record{
		Time: now, Route: c.Route, Session: c.Session, Principal: c.Principal, Client: wire.Clean(c.Client.Name, maxPeerText),
		Method: c.Request.Method, Name: wire.Clean(c.Request.Name, maxAuditName), Round: c.Round,
		Key: wire.Clean(j.ask.Key, maxPeerText), Kind: j.ask.Kind.String(), Action: "forward",
		Source: e.source, Outcome: e.outcome.String(), Wait: now.Sub(j.begun), Observed: j.observed,
	}
	if j.rule != nil {
		r.Rule, r.Action = j.rule.Name, j.rule.Action.Verb()
	}
	for _, f := range j.fields[:min(len(j.fields), maxAuditFields)] {
		r.Fields = append(r.Fields, wire.Clean(f, maxPeerText))
	}
	if o.AuditValues {
		r.Answer = e.answer
	}
	return r
}
