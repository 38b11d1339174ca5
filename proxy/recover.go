package proxy

import (
	"net/http"
	"runtime/debug"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// recovering keeps a fault of the program within its request. A reply that has begun
// cannot be mended: its connection is broken, so that nobody takes it for whole.
func recovering(next http.Handler, log *zap.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &tracked{ResponseWriter: w}
		defer func() {
			switch fault := recover(); {
			case fault == nil:
			case fault == http.ErrAbortHandler:
				panic(fault)
			default:
				log.Error("a request met a fault of the proxy", zap.Any("fault", fault), zap.ByteString("stack", debug.Stack()))
				if t.begun {
					panic(http.ErrAbortHandler)
				}
				refuse(w, http.StatusInternalServerError, nil, wire.CodeInternal, "a fault of the proxy; its log tells more")
			}
		}()
		next.ServeHTTP(t, r)
	})
}

// tracked knows whether a reply has begun.
type tracked struct {
	http.ResponseWriter
	begun bool
}

func (t *tracked) WriteHeader(status int) {
	t.begun = true
	t.ResponseWriter.WriteHeader(status)
}

func (t *tracked) Write(b []byte) (int, error) {
	t.begun = true
	return t.ResponseWriter.Write(b)
}

// Unwrap leads http.ResponseController to the connection.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }
