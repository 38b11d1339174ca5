package daemon

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// How long the servers wait for handlers to write the last of an answer once nothing runs any more.
const (
	trafficGrace = 5 * time.Second
	adminGrace   = time.Second
)

// shutDown ends everything in the order that lets clients see a clean end: the listeners stay open while exchanges run,
// since the answers they wait for come in new requests, and the admin listener goes last, so that the end can be watched.
func (d *Daemon) shutDown(ctx context.Context) {
	d.state.Store(draining)
	d.tell(stateStopping)
	d.reload.Lock() // none runs, and none begins any more
	defer d.reload.Unlock()
	timeout := d.current.Load().config.ShutdownTimeout
	d.log.Info("draining", zap.Duration("timeout", timeout))
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if err := d.traffic.Drain(ctx); err != nil {
		d.log.Warn("requests were still running", zap.Error(err))
	}
	if err := d.front.stop(trafficGrace); err != nil {
		d.log.Warn("connections were cut", zap.Error(err))
	}
	d.traffic.Close()
	d.sources.Close()
	close(d.stopped)
	d.watching.Wait()
	_ = d.back.stop(adminGrace)
	d.log.Info("stopped")
	_ = d.log.Sync()
}

// cleanups undo what was begun, last in first out.
type cleanups []func()

func (c *cleanups) add(f func()) { *c = append(*c, f) }

func (c *cleanups) run() {
	for i := len(*c) - 1; i >= 0; i-- {
		(*c)[i]()
	}
}
