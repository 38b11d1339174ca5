package answer

import (
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Auditor takes down what became of every ask. It is safe for concurrent use and does not keep the record's slices.
type Auditor interface{ Record(r Record) }

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
	// Answer is what goes upstream; nil unless values were asked for and there is an answer.
	Answer json.RawMessage
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

func (j *job) record(e *ending) {
	o := &j.desk.options
	if o.Auditor == nil {
		return
	}
	now := time.Now()
	c := j.about
	r := Record{
		Time: now, Route: c.Route, Session: c.Session, Principal: c.Principal, Client: wire.Clean(c.Client.Name, maxPeerText),
		Method: c.Request.Method, Name: wire.Clean(c.Request.Name, maxAuditName), Round: c.Round,
		Key: wire.Clean(j.ask.Key, maxPeerText), Kind: j.ask.Kind.String(), Action: "forward",
		Source: e.source, Outcome: e.outcome.String(), Wait: now.Sub(j.begun),
	}
	if j.rule != nil {
		r.Rule, r.Action = j.rule.Name, j.rule.Action.Verb()
	}
	for _, f := range j.question.Fields[:min(len(j.question.Fields), maxAuditFields)] {
		r.Fields = append(r.Fields, wire.Clean(f, maxPeerText))
	}
	if o.AuditValues {
		r.Answer = e.answer
	}
	o.Auditor.Record(r)
}
