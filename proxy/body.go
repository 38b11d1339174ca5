package proxy

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// bodyTimeout is how long a client may take to send the body of its request.
const bodyTimeout = 60 * time.Second

// fault is why a body is no message.
type fault struct {
	status, code int
	id           []byte // raw, when it was found
	batch        bool   // it is an array of messages
	message      string
}

// read reads the whole body into s. It must be whole before a reply begins: net/http
// gives up a connection upstream whose request is answered while it is being sent.
func read(w http.ResponseWriter, r *http.Request, s *wire.Scanner, limit int64) *fault {
	if !isJSON(r.Header["Content-Type"]) {
		return &fault{status: http.StatusUnsupportedMediaType, code: wire.CodeInvalidRequest, message: "Content-Type must be application/json in UTF-8"}
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return &fault{status: http.StatusUnsupportedMediaType, code: wire.CodeInvalidRequest, message: "a compressed body is not accepted"}
	}
	if r.ContentLength > limit {
		return tooLarge()
	}
	f := faultOf(fill(r.Body, s, r.ContentLength, limit), s)
	if f == nil || f.batch { // the body has been read to its end
		if t, ok := w.(*tracked); ok {
			t.hasRead()
		}
	}
	return f
}

var errTooLarge = errors.New("the body is too large")

// chunk is how much of a body of unknown length is read at once, in bytes.
const chunk = 4 << 10

// fill reads body into s. size is its length, or -1 when that is not known; it is
// within the limit.
func fill(body io.Reader, s *wire.Scanner, size, limit int64) error {
	for total := int64(0); ; {
		n, err := body.Read(s.Room(next(size - total)))
		if total += int64(n); total > limit {
			return errTooLarge
		}
		if bad := s.Added(n); bad != nil {
			return bad
		}
		if err == io.EOF {
			return s.End()
		}
		if err != nil {
			return err
		}
	}
}

// next is how many bytes to make room for when rest are expected: a byte more, so that
// the end is seen with the last of them, and not more than a client has earned by
// sending.
func next(rest int64) int {
	if rest < 0 {
		return chunk
	}
	return int(min(rest+1, 64<<10))
}

func faultOf(err error, s *wire.Scanner) *fault {
	if err == nil {
		return nil
	}
	if errors.Is(err, errTooLarge) {
		return tooLarge()
	}
	f := &fault{status: http.StatusBadRequest, code: wire.CodeParse, message: "the body could not be read"}
	if bad := (*wire.Error)(nil); errors.As(err, &bad) {
		f.code, f.message, f.batch = bad.Code(), bad.Error(), bad.Reason == wire.Batch
		if id := s.ID.Of(s.Bytes()); wire.IsID(id) {
			f.id = id
		}
	}
	return f
}

func tooLarge() *fault {
	return &fault{status: http.StatusRequestEntityTooLarge, code: wire.CodeInvalidRequest, message: "the body is larger than max_body_bytes"}
}

// isJSON judges the Content-Type. What a web page may send without asking first, like
// text/plain, is refused whatever the body holds.
func isJSON(values []string) bool {
	if len(values) != 1 {
		return false
	}
	if values[0] == "application/json" {
		return true
	}
	media, params, err := mime.ParseMediaType(values[0])
	charset, given := params["charset"]
	return err == nil && media == "application/json" && (!given || strings.EqualFold(charset, "utf-8"))
}

// keep is the largest buffer in bytes that goes back into the pool.
const keep = 64 << 10

var scanners = sync.Pool{New: func() any { return new(wire.Scanner) }}

func takeScanner() *wire.Scanner {
	s := scanners.Get().(*wire.Scanner)
	s.Init(wire.FromClient, s.Release())
	return s
}

func giveScanner(s *wire.Scanner) {
	if b := s.Release(); cap(b) <= keep {
		s.Init(wire.FromClient, b)
		scanners.Put(s)
	}
}
