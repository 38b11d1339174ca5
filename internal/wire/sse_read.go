package wire

import "bytes"

// EventSink takes what an EventReader finds. An error stops the reader.
type EventSink interface {
	// Data takes the next piece of the data of the event under way. It is good during
	// the call only.
	Data(p []byte) error
	// Dispatch says that the event is over. An event without a data field is none.
	// eventType is "" when none was given, and cut at 64 bytes.
	Dispatch(eventType string) error
	// Comment says that a comment line went by.
	Comment()
}

// field is which line of an event stream is under way.
type field uint8

const (
	fieldStart field = iota // at the start of a line
	fieldName               // in a name
	fieldColon              // after the colon: one space is skipped
	fieldData               // in the values
	fieldEvent
	fieldIgnored
	fieldComment
)

// EventReader reads an event stream (WHATWG HTML, Server-sent events) fed in any
// pieces, in one pass. It holds nothing but the name of a field and the type of an
// event: a line may be of any length. The zero value is ready.
type EventReader struct {
	field   field
	value   field   // where fieldColon leads
	mark    int8    // bytes of the byte order mark seen, -1: it is too late for one
	cr      bool    // a line ended with CR: a LF belongs to it
	data    bool    // the event has data
	name    [6]byte // one byte longer than the longest name that matters
	nameLen int
	typ     [64]byte
	typeLen int
}

// Feed takes the next bytes of the stream and calls sink. It returns the sink's first
// error, after which the reader must not be used.
func (r *EventReader) Feed(p []byte, sink EventSink) error {
	p = r.skipMark(p)
	// Where the next LF and CR are: looked for again only once they are passed, so
	// that many short lines of one sort do not search for the other again and again.
	lf, cr := -1, -1
	for i := 0; i < len(p); {
		if r.cr {
			r.cr = false
			if p[i] == '\n' {
				i++
				continue
			}
		}
		lf, cr = nextByte(p, i, lf, '\n'), nextByte(p, i, cr, '\r')
		end := min(lf, cr)
		if err := r.line(p[i:end], sink); err != nil {
			return err
		}
		if i = end; i < len(p) {
			r.cr = p[i] == '\r'
			i++
			if err := r.endLine(sink); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextByte is where c is next in p from i on, or the end; known is the last answer.
func nextByte(p []byte, i, known int, c byte) int {
	if known >= i {
		return known
	}
	if n := bytes.IndexByte(p[i:], c); n >= 0 {
		return i + n
	}
	return len(p)
}

// skipMark drops a byte order mark at the start of the stream, which may be torn.
func (r *EventReader) skipMark(p []byte) []byte {
	for r.mark >= 0 && len(p) > 0 {
		if p[0] != byteOrderMark[r.mark] {
			if r.mark > 0 { // it was part of a field name that nobody knows
				r.field = fieldName
				r.nameLen = len(r.name)
			}
			r.mark = -1
			break
		}
		p = p[1:]
		if r.mark++; int(r.mark) == len(byteOrderMark) {
			r.mark = -1
		}
	}
	return p
}

// line takes a part of a line, without its end.
func (r *EventReader) line(p []byte, sink EventSink) error {
	for len(p) > 0 {
		switch r.field {
		case fieldStart:
			r.field, r.nameLen = fieldName, 0
			if p[0] == ':' {
				r.field = fieldComment
			}
		case fieldName:
			p = r.takeName(p)
			if len(p) == 0 {
				return nil
			}
			p = p[1:]
			r.field, r.value = fieldColon, r.known()
			if err := r.startValue(sink); err != nil {
				return err
			}
		case fieldColon:
			if p[0] == ' ' {
				p = p[1:]
			}
			r.field = r.value
		case fieldData:
			return sink.Data(p)
		case fieldEvent:
			r.typeLen += copy(r.typ[r.typeLen:], p)
			return nil
		default:
			return nil
		}
	}
	return nil
}

// takeName takes the field's name up to its colon, which it leaves.
func (r *EventReader) takeName(p []byte) []byte {
	n := bytes.IndexByte(p, ':')
	if n < 0 {
		n = len(p)
	}
	r.nameLen += copy(r.name[r.nameLen:], p[:n])
	return p[n:]
}

// known says what the field's name means.
func (r *EventReader) known() field {
	switch string(r.name[:r.nameLen]) {
	case "data":
		return fieldData
	case "event":
		return fieldEvent
	}
	return fieldIgnored // id and retry too: nothing is resumed
}

// startValue begins the value of a field: data lines are joined by line feeds, the
// last event type counts.
func (r *EventReader) startValue(sink EventSink) error {
	switch r.value {
	case fieldData:
		if r.data {
			return sink.Data([]byte{'\n'})
		}
		r.data = true
	case fieldEvent:
		r.typeLen = 0
	}
	return nil
}

// endLine ends a line; an empty one ends the event.
func (r *EventReader) endLine(sink EventSink) error {
	was := r.field
	r.field = fieldStart
	switch was {
	case fieldStart:
		dispatch, name := r.data, r.eventType()
		r.data, r.typeLen = false, 0
		if dispatch {
			return sink.Dispatch(name)
		}
	case fieldName: // a name without a colon has an empty value
		r.value = r.known()
		return r.startValue(sink)
	case fieldComment:
		sink.Comment()
	}
	return nil
}

// eventType is the type of the event under way; the usual one costs no allocation.
func (r *EventReader) eventType() string {
	if string(r.typ[:r.typeLen]) == "message" {
		return "message"
	}
	return string(r.typ[:r.typeLen])
}
