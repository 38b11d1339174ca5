package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// body is the body of a response. At its end the connection waits for another request, if it can have one.
type body struct {
	c    *conn
	ctx  context.Context // the request's
	stop func() bool     // has the connection not hear of ctx any more
	from io.Reader       // net/http's, which takes the framing off; nil where there is none
	left int64           // what is to come without one
	last bool            // the connection has no other request after this one
	over error           // what there is to say after the end
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.over != nil {
		return 0, b.over
	}
	n, err := b.read(p)
	if err == nil {
		return n, nil
	}
	whole := errors.Is(err, io.EOF)
	if !whole {
		err = b.c.fault(b.ctx, err)
	}
	b.end(whole)
	b.over = err
	return n, err
}

// read reads what the framing leaves.
func (b *body) read(p []byte) (int, error) {
	if b.from != nil {
		return b.from.Read(p)
	}
	n, err := b.c.in.Read(p[:min(int64(len(p)), b.left)])
	switch b.left -= int64(n); {
	case b.left == 0:
		err = io.EOF
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	if b.over == nil {
		b.end(false)
	}
	b.over = http.ErrBodyReadAfterClose
	return nil
}

// end gives the connection up. whole says that the body has been read to its end.
func (b *body) end(whole bool) {
	b.over = io.EOF
	// What comes after the end of a response was not asked for, and would be the answer to another request.
	if b.stop() && whole && !b.last && b.c.in.Buffered() == 0 {
		b.c.t.keep(b.c)
		return
	}
	b.c.close()
}

func (b *body) indulge() {
	if b.over == nil {
		b.c.indulge()
	}
}

func (b *body) hurry(d time.Duration) {
	if b.over == nil {
		b.c.hurry(d)
	}
}
