package proxy

import (
	"net/http"
	"runtime/debug"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// recovering keeps a fault of the program within its request. A reply that has begun
// cannot be mended: its connection is broken, so that nobody takes it for whole.
func recovering(next http.Handler, log *zap.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &tracked{ResponseWriter: w, rc: *http.NewResponseController(w)}
		if r.ContentLength != 0 {
			t.unread = true
			_ = t.rc.SetReadDeadline(time.Now().Add(bodyTimeout))
		}
		defer func() {
			switch fault := recover(); {
			case fault == nil:
			case fault == any(http.ErrAbortHandler):
				panic(fault)
			case t.begun:
				tell(log, fault)
				panic(http.ErrAbortHandler)
			default:
				faulted(log)(w, fault)
			}
		}()
		next.ServeHTTP(t, r)
	})
}

func tell(log *zap.Logger, fault any) {
	log.Error("a request met a fault of the proxy", zap.Any("fault", fault), zap.ByteString("stack", debug.Stack()))
}

// faulted tells the log of a fault, and the client while there is a w.
func faulted(log *zap.Logger) func(w http.ResponseWriter, fault any) {
	return func(w http.ResponseWriter, fault any) {
		tell(log, fault)
		if w != nil {
			refuse(w, http.StatusInternalServerError, nil, wire.CodeInternal, "a fault of the proxy; its log tells more")
		}
	}
}

// tracked knows whether a reply has begun, and gives up a client that does not read it.
type tracked struct {
	http.ResponseWriter
	rc    http.ResponseController
	begun bool
	// unread: the body has not been read to its end. net/http would read on before it
	// lets a reply go, and waits for as long as a client likes; so such a connection
	// ends with its reply.
	unread bool
	until  time.Time // the write deadline of the connection; net/http takes it away after the reply
}

func (t *tracked) WriteHeader(status int) {
	t.begin()
	t.ResponseWriter.WriteHeader(status)
}

func (t *tracked) Write(b []byte) (int, error) {
	t.begin()
	return t.ResponseWriter.Write(b)
}

// begin gives the client the time to take what is written now. Writes come in bursts, so
// a deadline that is a little old does too.
func (t *tracked) begin() {
	if !t.begun && t.unread {
		t.Header().Set("Connection", "close")
	}
	t.begun = true
	if now := time.Now(); t.until.Sub(now) < deadline.Unread*3/4 {
		t.until = now.Add(deadline.Unread)
		_ = t.rc.SetWriteDeadline(t.until)
	}
}

// hasRead notes that the body has been read to its end, and takes its deadline away.
func (t *tracked) hasRead() {
	t.unread = false
	_ = t.rc.SetReadDeadline(time.Time{})
}

// Unwrap leads http.ResponseController to the connection.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }
