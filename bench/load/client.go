package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/bench/peer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// client makes one call at a time. It has a second connection for its answers, since
// the first is busy with the call's stream.
type client struct {
	task       *Task
	main, side connection
	header     string // of the session, or of a modern client
	id, step   int    // ids are its own in the task
	message    wire.Scanner
	body       []byte
	large      []byte // storage for the beginning of a large reply

	events int
	// asked, when set, is called before a question is answered.
	asked func()
}

const (
	answer = `{"action":"accept","content":{"name":"Ada"}}`
	text   = "The quick brown fox jumps over the lazy dog, and then it sleeps."
	meta   = `"io.modelcontextprotocol/protocolVersion":"` + wire.Modern + `",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}`
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{"elicitation":{"form":{}}},"clientInfo":{"name":"bench","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// newClient makes the i-th of n clients.
func newClient(t *Task, i, n int) *client {
	c := &client{task: t, id: i + 1, step: n}
	c.main = connection{address: t.Address, path: t.Path}
	c.side = c.main
	if t.Modern {
		c.header = "Mcp-Protocol-Version: " + wire.Modern + "\r\nMcp-Method: " + wire.MethodToolsCall + "\r\nMcp-Name: " + t.Tool + "\r\n"
		if t.Tool == "list" {
			c.header = "Mcp-Protocol-Version: " + wire.Modern + "\r\nMcp-Method: " + wire.MethodToolsList + "\r\n"
		}
	}
	return c
}

// open opens a session for a legacy client, and nothing for a modern one.
func (c *client) open() error {
	if c.task.Modern {
		return nil
	}
	c.header = ""
	r, err := c.exchange(&c.main, []byte(initialize), func(msg []byte) (bool, error) {
		if wire.Get(msg, "result", "protocolVersion") == nil {
			return false, fmt.Errorf("initialize brought %.200s", msg)
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	if r.session == "" {
		return errors.New("initialize brought no session")
	}
	c.header = "Mcp-Session-Id: " + r.session + "\r\nMcp-Protocol-Version: 2025-11-25\r\n"
	return c.post(&c.main, []byte(initialized))
}

// post sends what is no request.
func (c *client) post(to *connection, body []byte) error {
	r, err := to.send("POST", c.header, body)
	if err != nil {
		return err
	}
	if r.status != 202 {
		return fmt.Errorf("status %d, not 202", r.status)
	}
	return to.finish(r)
}

// exchange sends a request and hands every message of the reply to f.
func (c *client) exchange(to *connection, body []byte, f func(msg []byte) (more bool, err error)) (*response, error) {
	r, err := to.send("POST", c.header, body)
	if err != nil {
		return nil, err
	}
	switch {
	case r.stream:
		err = to.each(r, f)
	case r.status != 200:
		err = fmt.Errorf("status %d", r.status)
	default:
		err = c.whole(r, f)
	}
	if err != nil {
		return nil, err
	}
	return r, to.finish(r)
}

// beginning is how much of a large reply is looked at. The rest is counted: to read it
// closely would cost more than to pass it on.
const beginning = 128 << 10

func (c *client) whole(r *response, f func(msg []byte) (bool, error)) error {
	if r.size >= 0 && r.size <= beginning {
		c.large = append(c.large[:0], make([]byte, r.size)...)
		if _, err := io.ReadFull(r.body, c.large); err != nil {
			return err
		}
		_, err := f(c.large)
		return err
	}
	c.large = append(c.large[:0], make([]byte, beginning)...)
	n, err := io.ReadFull(r.body, c.large)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		_, err := f(c.large[:n])
		return err
	}
	if err != nil {
		return err
	}
	rest, err := io.Copy(io.Discard, r.body)
	if err != nil {
		return err
	}
	if !bytes.Contains(c.large[:256], []byte(`"content":[`)) || int(rest)+n < c.task.Size {
		return fmt.Errorf("a large reply of %d bytes is not what was asked for", int(rest)+n)
	}
	return nil
}

// call makes one call, with all its rounds.
func (c *client) call() error {
	var retry []byte
	for {
		c.id += c.step
		again := false
		_, err := c.exchange(&c.main, c.request(retry), func(msg []byte) (more bool, err error) {
			m := &c.message
			m.Init(wire.FromServer, m.Release())
			if err := errors.Join(m.Feed(msg), m.End()); err != nil {
				return false, fmt.Errorf("%w: %.200s", err, msg)
			}
			switch m.Kind {
			case wire.Notification:
				c.events++
				return true, nil
			case wire.Request:
				return true, c.answer(m)
			case wire.ErrorResponse:
				return false, fmt.Errorf("error %.200s", m.Error.Of(m.Bytes()))
			}
			if c.task.Modern && m.Ending == wire.InputRequired {
				again, retry = true, retryWith(m)
				return false, nil
			}
			return false, c.judge(m)
		})
		if err != nil || !again {
			return err
		}
	}
}

// judge looks at a result.
func (c *client) judge(m *wire.Scanner) error {
	msg := m.Bytes()
	want := peer.Done
	switch c.task.Tool {
	case "small":
		want = text
	case "list":
		want = "filler_100"
	case "large":
		want = "..."
	}
	switch {
	case string(m.ID.Of(msg)) != strconv.Itoa(c.id):
		return fmt.Errorf("the reply to %d has the id %s", c.id, m.ID.Of(msg))
	case !bytes.Contains(m.Result.Of(msg), []byte(want)):
		return fmt.Errorf("a result without %q: %.200s", want, msg)
	case !c.task.Modern && !c.task.Lenient && m.Ending != wire.Unsaid:
		return errors.New("a legacy client was shown a resultType")
	}
	return nil
}

// answer answers a question that came on the call's stream.
func (c *client) answer(m *wire.Scanner) error {
	msg := m.Bytes()
	if c.task.Modern || m.MethodName() != wire.MethodElicit || wire.Get(m.Params.Of(msg), "requestedSchema", "properties", "name") == nil {
		return fmt.Errorf("an unexpected question %.200s", msg)
	}
	body := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID.Of(msg)...)
	body = append(body, `,"result":`+answer+`}`...)
	if c.asked != nil {
		c.asked()
	}
	return c.post(&c.side, body)
}

// retryWith makes the members of the retry that an input_required asks for.
func retryWith(m *wire.Scanner) []byte {
	b := []byte(`,"inputResponses":{`)
	_ = wire.Each(m.InputRequests.Of(m.Bytes()), func(key string, _ []byte) error {
		b = append(wire.AppendQuoted(b, key), `:`+answer...)
		return nil // the stub asks one question at a time
	})
	return append(append(b, `},"requestState":`...), m.RequestState.Of(m.Bytes())...)
}

// request makes the message of a call.
func (c *client) request(retry []byte) []byte {
	t := c.task
	b := append(c.body[:0], `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, int64(c.id), 10)
	if t.Tool == "list" {
		b = append(b, `,"method":"`+wire.MethodToolsList+`","params":{`...)
	} else {
		b = append(append(b, `,"method":"`+wire.MethodToolsCall+`","params":{"name":"`...), t.Tool...)
		b = append(append(b, `","arguments":{`...), argument[t.Tool]...)
		if t.Tool != "small" {
			b = strconv.AppendInt(b, int64(t.Size), 10)
		}
		b = append(append(b, '}'), retry...)
	}
	progress := t.Tool == "progress"
	if t.Modern || progress {
		if t.Tool != "list" {
			b = append(b, ',')
		}
		b = append(b, `"_meta":{`...)
		if t.Modern {
			b = append(b, meta...)
		}
		if t.Modern && progress {
			b = append(b, ',')
		}
		if progress {
			b = strconv.AppendInt(append(b, `"progressToken":`...), int64(c.id), 10)
		}
		b = append(b, '}')
	}
	c.body = append(b, "}}"...)
	return c.body
}

// argument is what a tool takes, up to a number.
var argument = map[string]string{"small": `"text":"` + text + `"`, "large": `"bytes":`, "ask": `"rounds":`, "progress": `"events":`}
