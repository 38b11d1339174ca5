package upstream

import (
	"context"
	"net/http"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/toolschema"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// Attempt sends the request and takes in its answer. It sends again on its own only when nothing reached the server, when
// the server refused before acting (-32020, -32022), or when a method that may be repeated was cut off. An error is always
// an *Error; its Reason is Cancelled when ctx ended.
func (u *Upstream) Attempt(ctx context.Context, c *Call, r Retry, s Sink) (Result, error) {
	var res Result
	if err := u.attempt(ctx, c, r, s, &res); err != nil {
		return Result{}, err
	}
	return res, nil
}

// attempt fills res. What an attempt brings is handed down by pointer: a call that waits for a person keeps the stack that
// its attempts have needed.
func (u *Upstream) attempt(ctx context.Context, c *Call, r Retry, s Sink, res *Result) *Error {
	var spent resends
	mirrored := u.mirrored(ctx, c)
	for {
		before := u.lastID.Load()
		err := u.send(ctx, c, r, s, mirrored, res)
		if err == nil || !spent.allow(c, r, err) {
			return err
		}
		if err.Reason == HeaderMismatch {
			mirrored = u.mirroredAnew(ctx, c, before, mirrored)
		}
	}
}

// resends are the reasons for which an attempt has been sent again: each counts once.
type resends struct{ transport, refusal bool }

// allow tells whether an attempt that failed may be sent again, and notes that it is.
func (s *resends) allow(c *Call, r Retry, err *Error) bool {
	first := r.Responses == nil && r.State == nil
	switch {
	case err.passed:
		return false
	case err.Reason == HeaderMismatch || err.Reason == NoCommonVersion && err.common:
		again := !s.refusal
		s.refusal = true
		return again
	case err.Reason == Dial, err.Reason == Cut && first && wire.IsRepeatable(c.Method):
		again := !s.transport
		s.transport = true
		return again
	}
	return false
}

// attempt is one request on its way, with the memory it needs. It is pooled.
type attempt struct {
	u        *Upstream
	call     *Call
	retry    Retry
	mirrored []toolschema.Header
	sink     Sink
	ctx      context.Context
	resp     *transport.Response // nil until there is one

	number  uint64 // the id
	id      []byte // raw JSON-RPC id, and progress token
	idSpace [20]byte
	meta    []byte
	members []byte
	body    []byte
	header  http.Header
	values  [3]string // of headers

	scan   wire.Scanner          // of the message that comes in
	recall wire.Recall           // of that
	lists  [listsMax]*wire.Known // that it looks out for
	buffer []byte                // its storage between messages
	read   []byte                // what is read of an event stream; nil until there is one
	res    Result                // what it brought
	status int                   // HTTP status; 0 until one came

	forgotten int // how many bytes of the message have gone down and are no longer in the scanner

	passed bool // something of it has gone to the sink
}

const (
	// keepBuffer is the size in bytes up to which an attempt's buffers are kept for the next one.
	keepBuffer = 256 << 10
	// roomyBuffer is the size from which one is kept only if a message has needed a quarter of it: the next one will be as
	// long as this one, rather than as the longest of all.
	roomyBuffer = 16 << 10
)

// send makes one attempt and counts it.
func (u *Upstream) send(ctx context.Context, c *Call, r Retry, s Sink, mirrored []toolschema.Header, res *Result) *Error {
	a, _ := u.attempts.Get().(*attempt)
	if a == nil {
		a = &attempt{u: u}
	}
	a.ctx, a.call, a.retry, a.mirrored, a.sink = ctx, c, r, mirrored, s
	a.status, a.passed, a.res = 0, false, Result{}
	a.mint()
	began := time.Now()
	err := a.run()
	*res = a.res
	u.countAttempt(c, res, err, time.Since(began))
	a.release()
	return err
}

// release puts the attempt back. Nothing else holds it then.
func (a *attempt) release() {
	a.ctx, a.call, a.retry, a.mirrored, a.sink, a.resp, a.res = nil, nil, Retry{}, nil, nil, nil, Result{}
	if cap(a.buffer) > keepBuffer {
		a.buffer = nil
	}
	if cap(a.meta)+cap(a.members)+cap(a.body) > keepBuffer {
		a.meta, a.members, a.body = nil, nil, nil
	}
	clear(a.header)
	a.values, a.recall, a.lists = [3]string{}, wire.Recall{}, [listsMax]*wire.Known{}
	a.u.attempts.Put(a)
}

// run sends the request and receives the answer.
func (a *attempt) run() *Error {
	if err := a.interrupted(nil); err != nil {
		return err
	}
	a.fillHeader()
	resp, err := a.exchange(&transport.Request{URL: a.u.o.URL, Host: a.u.base.host, Header: a.header, Body: a.message()})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	a.resp = resp
	return a.receive(resp)
}

// begin makes the scanner ready for a message.
func (a *attempt) begin() {
	a.scan.Init(wire.FromServer, a.buffer)
	if a.call.Passed != nil {
		a.scan.KeepAll()
	}
	if a.call.Method == wire.MethodToolsList {
		a.scan.Recall(&a.recall, a.u.lists.recall(a.lists[:0]))
	}
	a.forgotten = 0
}

// end takes back the scanner's storage; the message is valid until then.
func (a *attempt) end() {
	used := a.scan.Len()
	if a.buffer = a.scan.Release(); cap(a.buffer) > max(roomyBuffer, 4*used) {
		a.buffer = nil
	}
}
