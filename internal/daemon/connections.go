package daemon

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
)

// bounded is a listener that has so many connections open at most. One that comes beyond that is closed at once: its
// client learns so at once, and those that are open go on.
type bounded struct {
	net.Listener
	max  int64
	log  *zap.Logger
	open atomic.Int64
	told atomic.Int64 // when it was last logged, in Unix nanoseconds
}

// tellEvery is how often at most the log tells that connections are refused.
const tellEvery = time.Minute

func (l *bounded) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.max {
			return &counted{Conn: deadline.Late(c), left: func() { l.open.Add(-1) }}, nil
		}
		l.open.Add(-1)
		l.tell()
		_ = c.Close()
	}
}

func (l *bounded) tell() {
	now, last := time.Now().UnixNano(), l.told.Load()
	if now-last >= int64(tellEvery) && l.told.CompareAndSwap(last, now) {
		l.log.Warn("connections are refused: max_connections are open", zap.Int64("max_connections", l.max))
	}
}

// counted is a connection that is counted until it is closed.
type counted struct {
	*deadline.Conn
	left func()
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(c.left)
	return c.Conn.Close()
}
