package peer

import (
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Stub is a modern server that costs next to nothing. On any path it serves
//
//	small {text}      a result with that text
//	large {bytes}     a text of that many bytes
//	ask {rounds}      one question after the other, as many times
//	progress {events} so many notifications on an event stream, then the result
//
// and on /list a tool list of ListSize bytes. It refuses what a modern server must
// refuse: headers that are missing or do not match the message, a _meta without version
// and capabilities, a requestState that it has not made.
type Stub struct{ list, longList string }

// NewStub makes a stub.
func NewStub() *Stub { return &Stub{list: toolList(0), longList: toolList(ListSize)} }

// request is a message that is being answered.
type request struct {
	*wire.Scanner
	id, args []byte
	out      []byte // storage for the reply
}

var requests = sync.Pool{New: func() any { return &request{Scanner: new(wire.Scanner)} }}

const readSize = 4 << 10

// ServeHTTP implements http.Handler.
func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	q := requests.Get().(*request)
	defer requests.Put(q)
	q.Init(wire.FromClient, q.Release())
	for {
		n, err := r.Body.Read(q.Room(readSize))
		if q.Added(n) != nil || err != nil && err != io.EOF {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if err == io.EOF {
			break
		}
	}
	if q.End() != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if q.Kind != wire.Request {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	q.id, q.args = q.ID.Of(q.Bytes()), q.Arguments.Of(q.Bytes())
	if status, code, text := q.check(r.Header); status != 0 {
		q.refuse(w, status, code, text)
		return
	}
	s.answer(w, r, q)
}

// check looks for what a modern request must have.
func (q *request) check(h http.Header) (status, code int, text string) {
	msg := q.Bytes()
	switch {
	case string(q.ProtocolVersion.Of(msg)) != `"`+wire.Modern+`"`:
		return http.StatusBadRequest, wire.CodeUnsupportedVersion, "unsupported protocol version"
	case !q.ClientCapabilities.IsSet():
		return http.StatusBadRequest, wire.CodeInvalidParams, "no client capabilities"
	case h.Get("Mcp-Protocol-Version") != wire.Modern, h.Get("Mcp-Method") != q.MethodName(), !q.named(h.Get("Mcp-Name")):
		return http.StatusBadRequest, wire.CodeHeaderMismatch, "the headers do not match the message"
	}
	return 0, 0, ""
}

func (q *request) named(header string) bool {
	raw := q.Name.Of(q.Bytes())
	return q.MethodName() != wire.MethodToolsCall || len(raw) > 2 && string(raw[1:len(raw)-1]) == header
}

func (s *Stub) answer(w http.ResponseWriter, r *http.Request, q *request) {
	switch q.MethodName() {
	case wire.MethodDiscover:
		q.result(w, complete, discovery)
	case wire.MethodToolsList:
		if r.URL.Path == "/list" {
			q.result(w, complete, s.longList)
			return
		}
		q.result(w, complete, s.list)
	case wire.MethodToolsCall:
		q.call(w)
	default:
		q.refuse(w, http.StatusNotFound, wire.CodeMethodNotFound, "no such method")
	}
}

func (q *request) refuse(w http.ResponseWriter, status, code int, text string) {
	w.Header()["Content-Type"] = jsonType
	w.WriteHeader(status)
	_, _ = w.Write(wire.AppendError(nil, q.id, code, text, nil))
}

var (
	jsonType   = []string{"application/json"}
	streamType = []string{"text/event-stream"}
)

// The results' kinds.
const (
	complete      = "complete"
	inputRequired = "input_required"
)

// begin and end frame the members of a result. The order is the official TypeScript
// SDK's, which a proxy cannot choose either: the kind of the result comes last in it,
// and the id after it.
func (q *request) begin() []byte { return append(q.out[:0], `{"result":{`...) }

func (q *request) end(b []byte, kind string) []byte {
	b = append(append(b, `,"resultType":"`...), kind...)
	b = append(append(b, `"},"jsonrpc":"2.0","id":`...), q.id...)
	return append(b, '}')
}

// result sends a result of which members are given.
func (q *request) result(w http.ResponseWriter, kind string, members ...string) {
	b := q.begin()
	for _, m := range members {
		b = append(b, m...)
	}
	q.out = q.end(b, kind)
	header(w, len(q.out))
	_, _ = w.Write(q.out)
}

func header(w http.ResponseWriter, size int) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(size)}
}
