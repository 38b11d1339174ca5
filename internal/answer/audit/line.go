// Package audit writes the record of every ask as one line of JSON.
package audit

import (
	"encoding/json"
	"time"

	"go.uber.org/zap/zapcore"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
)

// line is the form of a record that is written down.
type line struct{ r *answer.Record }

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (l line) MarshalLogObject(e zapcore.ObjectEncoder) error {
	r := l.r
	e.AddString("time", r.Time.UTC().Format(time.RFC3339Nano))
	e.AddString("route", r.Route)
	text(e, "session", r.Session)
	text(e, "principal", r.Principal)
	text(e, "client", r.Client)
	_ = e.AddObject("request", request{r})
	e.AddInt("round", r.Round)
	_ = e.AddObject("ask", ask{r})
	text(e, "rule", r.Rule)
	e.AddString("action", r.Action)
	e.AddString("source", r.Source)
	e.AddString("outcome", r.Outcome)
	e.AddFloat64("wait_seconds", r.Wait.Seconds())
	if len(r.Observed) > 0 {
		_ = e.AddArray("observed", observed(r.Observed))
	}
	if r.Answer != nil && json.Valid(r.Answer) { // one that was checked is; nothing else may be lost for it
		return e.AddReflected("answer", r.Answer)
	}
	return nil
}

// text adds what not every record has.
func text(e zapcore.ObjectEncoder, key, value string) {
	if value != "" {
		e.AddString(key, value)
	}
}

type request struct{ r *answer.Record }

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (q request) MarshalLogObject(e zapcore.ObjectEncoder) error {
	e.AddString("method", q.r.Method)
	text(e, "name", q.r.Name)
	return nil
}

type ask struct{ r *answer.Record }

// MarshalLogObject implements zapcore.ObjectMarshaler.
func (a ask) MarshalLogObject(e zapcore.ObjectEncoder) error {
	e.AddString("key", a.r.Key)
	e.AddString("kind", a.r.Kind)
	if len(a.r.Fields) > 0 {
		return e.AddArray("fields", fields(a.r.Fields))
	}
	return nil
}

type fields []string

// MarshalLogArray implements zapcore.ArrayMarshaler.
func (f fields) MarshalLogArray(e zapcore.ArrayEncoder) error {
	for _, name := range f {
		e.AppendString(name)
	}
	return nil
}

// observed is what rules on trial would have made of an ask.
type observed []answer.Observation

// MarshalLogArray implements zapcore.ArrayMarshaler.
func (o observed) MarshalLogArray(e zapcore.ArrayEncoder) error {
	for _, one := range o {
		if err := e.AppendObject(observation(one)); err != nil {
			return err
		}
	}
	return nil
}

type observation answer.Observation

// MarshalLogObject implements zapcore.ObjectMarshaler. There is no outcome where somebody would have been asked.
func (o observation) MarshalLogObject(e zapcore.ObjectEncoder) error {
	e.AddString("rule", o.Rule)
	e.AddString("action", o.Action)
	text(e, "outcome", o.Outcome)
	return nil
}

// encoder makes lines of records. Its keys are those of the records alone.
var encoder = zapcore.NewJSONEncoder(zapcore.EncoderConfig{LineEnding: "\n"})

// encode gives a record's line, with the line end.
func encode(r *answer.Record) ([]byte, error) {
	b, err := encoder.EncodeEntry(zapcore.Entry{}, []zapcore.Field{{Type: zapcore.InlineMarshalerType, Interface: line{r}}})
	if err != nil {
		return nil, err
	}
	defer b.Free()
	return append([]byte(nil), b.Bytes()...), nil
}
