package upstream

import (
	"bytes"
	"errors"
	"io"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

const (
	// trusted is how much of a length that a server announces is believed before bytes have come.
	trusted = 1 << 20
	// streamOver is the length of a reply in bytes above which it may go down before it has come whole.
	streamOver = 1 << 20
	// chunk is how much is read at a time where the length is not known, or the reply goes down in pieces.
	chunk = 48 << 10
)

// readJSON takes in a body that is one message. length is its size in bytes, -1 when not known.
func (a *attempt) readJSON(body io.Reader, length int64) *Error {
	if a.tooLong(length) {
		return a.tooLarge()
	}
	a.begin()
	defer a.end()
	p := passage{a: a, length: length, may: length > streamOver && a.success() && !a.takenApart()}
	for {
		want := p.room()
		room := a.scan.Room(want)
		if p.may || p.to != nil {
			room = room[:want] // though there may be more: who hands on in pieces must not wait for large ones
		}
		n, err := body.Read(room)
		if n > 0 {
			if fault := a.scan.Added(n); fault != nil {
				return p.fault(a.malformed(fault))
			}
			if a.tooLong(int64(a.scan.Len())) {
				return p.fault(a.tooLarge())
			}
			if fault := p.advance(); fault != nil {
				return fault
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return p.fault(a.cutOff(err))
		}
	}
	if a.scan.Len() == 0 {
		if !a.success() {
			return a.fail(Status, a.statusText())
		}
		return a.fail(Empty, a.statusText()+" with an empty body")
	}
	if fault := a.scan.End(); fault != nil {
		return p.fault(a.malformed(fault))
	}
	if p.to != nil {
		return p.finish()
	}
	return a.conclude()
}

// takenApart tells whether the reply is looked into on its way down: legacy clients are not shown every tool.
func (a *attempt) takenApart() bool {
	return a.call.Method == wire.MethodToolsList && a.call.Passed == nil
}

// tooLong tells whether so many bytes are more than a message may have.
func (a *attempt) tooLong(n int64) bool {
	return a.u.o.MaxMessageBytes > 0 && n > a.u.o.MaxMessageBytes
}

// passage is a long reply's way down while it still arrives. The zero Writer means that it is buffered, so that any fault
// can still be told as one error.
type passage struct {
	a      *attempt
	length int64 // of the body, -1 when not known
	may    bool  // the sink has not been asked and may be

	to   io.Writer
	id   []byte
	left int64 // how many bytes are still to be written to it

	lead             int  // bytes before the message
	sawID, sawEnding bool // they have come, and are right
}

// room is how many bytes to ask room for: a known length once and exactly, if it is short or so much of it has come that
// it is believed; otherwise as much again as there is.
func (p *passage) room() int {
	length, have := p.length, p.a.scan.Len()
	switch {
	case p.to != nil:
		return max(chunk/2, chunk-len(p.a.scan.Bytes())) // what is held back of it seldom has to make it larger
	case length < 0:
		return max(4<<10, min(have, 4<<20))
	case length <= trusted || have >= trusted:
		return max(1, int(length)+1-have)
	}
	return max(chunk, have)
}

// advance hands on what can be handed on. The last piece waits until the message has turned out to be one: who has got as
// many bytes as were announced takes a reply for whole.
func (p *passage) advance() *Error {
	s := &p.a.scan
	if p.length >= 0 && int64(s.Len()) >= p.length {
		return nil
	}
	if p.to == nil {
		if !p.may || !s.Settled {
			return nil
		}
		if p.check() != nil {
			return nil // told when the message is whole
		}
		p.may = false
		size := p.most()
		w, id, ok := p.a.sink.Stream(size)
		if !ok {
			return nil
		}
		p.to, p.id, p.left, p.a.passed = w, id, size+int64(len(id)), true
		p.lead = s.Len() - len(s.Bytes())
	}
	if fault := p.check(); fault != nil {
		return fault
	}
	return p.drain()
}

// most is how many bytes the reply has at most, beside its id.
func (p *passage) most() int64 {
	size := p.length - int64(len(p.a.id))
	if p.a.call.Passed == nil {
		size += int64(wire.MostAdded)
	}
	return size
}

// drain hands on what no later byte can change.
func (p *passage) drain() *Error {
	s := &p.a.scan
	if err := s.Drain(p, p.id); err != nil {
		return p.unpassable(err)
	}
	p.a.forgotten = s.Len() - p.lead - len(s.Bytes())
	return nil
}

// Write implements io.Writer, for what goes down.
func (p *passage) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	p.left -= int64(n)
	return n, err
}

var blanks = bytes.Repeat([]byte{' '}, 4<<10)

// pad makes the reply as long as it was said to be: white space may follow a JSON value (RFC 8259, 2).
func (p *passage) pad() error {
	for p.left > 0 {
		if _, err := p.Write(blanks[:min(p.left, int64(len(blanks)))]); err != nil {
			return err
		}
	}
	return nil
}

func (p *passage) unpassable(err error) *Error {
	return p.fault(p.a.because(Broken, "the reply could not be passed on", err))
}

// check looks at what has come in since the last piece went down, while it is still there.
func (p *passage) check() *Error {
	s := &p.a.scan
	if !p.sawID && s.ID.IsSet() {
		if !p.a.mine(s.ID) {
			return p.fault(p.a.wrongID())
		}
		p.sawID = true
	}
	if !p.sawEnding && s.Ending != wire.Unsaid {
		if !p.a.final(s) {
			return p.fault(p.a.notFinal())
		}
		p.sawEnding = true
	}
	return nil
}

// finish hands on the rest of a reply that has come whole.
func (p *passage) finish() *Error {
	if fault := p.check(); fault != nil {
		return fault
	}
	if p.a.scan.Kind != wire.Result || !p.sawID {
		return p.fault(p.a.fail(Malformed, "upstream's answer is not a response"))
	}
	if fault := p.drain(); fault != nil {
		return fault
	}
	if err := p.pad(); err != nil {
		return p.unpassable(err)
	}
	p.a.accept()
	p.a.res = Result{Outcome: Complete}
	return nil
}

// fault makes of a failure what it is once a part of the reply has gone down.
func (p *passage) fault(err *Error) *Error {
	if p.to == nil || err.Reason == Broken {
		return err
	}
	broken := *err
	broken.Reason, broken.cause = Broken, errors.Join(err, err.cause)
	return &broken
}
