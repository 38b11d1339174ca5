package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
)

// Bounds of a connection. There is none on writing: a stream lives as long as its client.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
)

// server is an HTTP server with its bound listener.
type server struct {
	http     *http.Server
	listener net.Listener
}

// listen binds an address; connections wait until start.
func listen(address string, h http.Handler, log *zap.Logger) (*server, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", address, err)
	}
	errorLog, err := zap.NewStdLogAt(log, zap.WarnLevel)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &server{
		listener: l,
		http: &http.Server{
			Handler:           h,
			ReadHeaderTimeout: readHeaderTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			ErrorLog:          errorLog,
		},
	}, nil
}

func (s *server) addr() net.Addr { return s.listener.Addr() }

// start serves until the server is stopped; an end before that is told to failed.
func (s *server) start(failed chan<- error) {
	go func() {
		serve := s.http.Serve
		if s.http.TLSConfig != nil {
			serve = func(l net.Listener) error { return s.http.ServeTLS(l, "", "") }
		}
		if err := serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			failed <- fmt.Errorf("serve on %s: %w", s.addr(), err)
		}
	}()
}

// stop lets requests end within grace and then cuts their connections.
func (s *server) stop(grace time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err := s.http.Shutdown(ctx)
	s.kill()
	return err
}

// kill cuts all connections and lets go of the address, also when the server was never started.
func (s *server) kill() {
	_ = s.http.Close()
	_ = s.listener.Close()
}
