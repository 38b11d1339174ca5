package mcptest

import (
	"bytes"
	"strings"
)

// Event is one event of an event stream, as it was framed.
type Event struct {
	ID   string // "" when it had none
	Type string // "" when it had none
	Data string
	Had  bool // it had a data field, if only an empty one
}

// eventParser takes an event stream apart (HTML Standard, Server-sent events),
// line by line as the bytes come.
type eventParser struct {
	line     []byte
	afterCR  bool
	current  Event
	began    bool // the event under way has a field
	comments int
}

// feed takes the next bytes and calls dispatch for every event they complete.
func (p *eventParser) feed(chunk []byte, dispatch func(Event)) {
	for _, c := range chunk {
		switch {
		case c == '\n' && p.afterCR:
			p.afterCR = false
		case c == '\n' || c == '\r':
			p.afterCR = c == '\r'
			p.endLine(dispatch)
		default:
			p.afterCR = false
			p.line = append(p.line, c)
		}
	}
}

func (p *eventParser) endLine(dispatch func(Event)) {
	line := string(bytes.TrimPrefix(p.line, []byte("\xef\xbb\xbf")))
	p.line = p.line[:0]
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch {
	case line == "":
		if p.began {
			dispatch(p.current)
		}
		p.current, p.began = Event{}, false
		return
	case name == "":
		p.comments++
		return
	case name == "data" && p.current.Had:
		p.current.Data += "\n" + value
	case name == "data":
		p.current.Data, p.current.Had = value, true
	case name == "id":
		p.current.ID = value
	case name == "event":
		p.current.Type = value
	}
	p.began = true
}
