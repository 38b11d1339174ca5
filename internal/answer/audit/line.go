// Package audit writes the record of every ask as one line of JSON.
package audit

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
)

// line is the form of a record that is written down.
type line struct {
	Time      string          `json:"time"`
	Route     string          `json:"route"`
	Session   string          `json:"session,omitempty"`
	Principal string          `json:"principal,omitempty"`
	Client    string          `json:"client,omitempty"`
	Request   request         `json:"request"`
	Round     int             `json:"round"`
	Ask       ask             `json:"ask"`
	Rule      string          `json:"rule,omitempty"`
	Action    string          `json:"action"`
	Source    string          `json:"source"`
	Outcome   string          `json:"outcome"`
	Wait      float64         `json:"wait_seconds"`
	Observed  []observation   `json:"observed,omitempty"`
	Answer    json.RawMessage `json:"answer,omitempty"`
}

// observation is what a rule on trial would have made of the ask; no outcome where somebody would have been asked.
type observation struct {
	Rule    string `json:"rule"`
	Action  string `json:"action"`
	Outcome string `json:"outcome,omitempty"`
}

type request struct {
	Method string `json:"method"`
	Name   string `json:"name,omitempty"`
}

type ask struct {
	Key    string   `json:"key"`
	Kind   string   `json:"kind"`
	Fields []string `json:"fields,omitempty"`
}

// encode gives a record's line, with the line end. An answer's digits and escapes are kept.
func encode(r *answer.Record) []byte {
	var b bytes.Buffer
	var observed []observation
	for _, o := range r.Observed {
		observed = append(observed, observation(o))
	}
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(line{
		Time: r.Time.UTC().Format(time.RFC3339Nano), Route: r.Route, Session: r.Session, Principal: r.Principal,
		Client: r.Client, Request: request{r.Method, r.Name}, Round: r.Round, Ask: ask{r.Key, r.Kind, r.Fields},
		Rule: r.Rule, Action: r.Action, Source: r.Source, Outcome: r.Outcome, Wait: r.Wait.Seconds(),
		Observed: observed, Answer: r.Answer,
	})
	if err != nil && r.Answer != nil {
		// Only an answer can be at fault, and one that was checked is not; the rest must not be lost with it.
		without := *r
		without.Answer = nil
		return encode(&without)
	}
	return b.Bytes()
}
