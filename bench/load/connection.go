package load

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"time"
)

// connection is one HTTP/1.1 connection, by hand: a generator that shares its
// processors with what it measures should cost little, and never dial unnoticed.
type connection struct {
	address, path string

	conn   net.Conn
	in     *bufio.Reader
	events *bufio.Reader // over a chunked body
	out    []byte
}

// patience is how long one exchange may take.
const patience = 2 * time.Minute

// response is a status line and what headers matter.
type response struct {
	status  int
	stream  bool   // text/event-stream
	session string // Mcp-Session-Id
	size    int64  // of the body, -1 when it is chunked
	closes  bool
	body    io.Reader
}

// send writes a request and reads the head of its reply; finish must follow. header
// holds whole lines.
func (c *connection) send(method, header string, body []byte) (*response, error) {
	if c.conn == nil {
		var d net.Dialer
		conn, err := d.Dial("tcp", c.address)
		if err != nil {
			return nil, err
		}
		c.conn, c.in = conn, bufio.NewReaderSize(conn, 16<<10)
	}
	c.out = append(append(append(c.out[:0], method...), ' '), c.path...)
	c.out = append(append(c.out, " HTTP/1.1\r\nHost: "...), c.address...)
	c.out = append(c.out, "\r\nAccept: "...)
	if method == "POST" {
		c.out = append(c.out, "application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: "...)
		c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
	} else {
		c.out = append(c.out, "text/event-stream"...)
	}
	c.out = append(append(c.out, "\r\n"...), header...)
	c.out = append(append(c.out, "\r\n"...), body...)
	if err := c.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return nil, err
	}
	return c.head()
}

// head reads up to the body.
func (c *connection) head() (*response, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if len(line) < len("HTTP/1.1 200") {
		return nil, fmt.Errorf("not HTTP: %q", line)
	}
	r := new(response)
	if r.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return nil, err
	}
	chunked := false
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			r.size, _ = strconv.ParseInt(string(value), 10, 64)
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("Content-Type")):
			r.stream = bytes.HasPrefix(value, []byte("text/event-stream"))
		case bytes.EqualFold(name, []byte("Mcp-Session-Id")):
			r.session = string(value)
		case bytes.EqualFold(name, []byte("Connection")):
			r.closes = bytes.EqualFold(value, []byte("close"))
		}
	}
	if chunked {
		r.size, r.body = -1, httputil.NewChunkedReader(c.in)
	} else {
		r.body = io.LimitReader(c.in, r.size)
	}
	return r, nil
}

// finish reads what is left of a reply, so that the connection can be used again.
func (c *connection) finish(r *response) error {
	if _, err := io.Copy(io.Discard, r.body); err != nil {
		return err
	}
	for r.size < 0 { // the trailer, which the chunked reader leaves behind
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(bytes.TrimRight(line, "\r\n")) == 0 {
			break
		}
	}
	if r.closes {
		c.drop()
	}
	return nil
}

// each hands the data of every event of a stream to f, until f has enough.
func (c *connection) each(r *response, f func(data []byte) (more bool, err error)) error {
	if c.events == nil {
		c.events = bufio.NewReader(nil)
	}
	c.events.Reset(r.body)
	var data []byte
	for {
		line, err := c.events.ReadBytes('\n')
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		}
		if len(line) != 0 || len(data) == 0 {
			continue
		}
		if more, err := f(data); err != nil || !more {
			return err
		}
		data = data[:0]
	}
}

// drop closes the connection; the next request dials anew.
func (c *connection) drop() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}
