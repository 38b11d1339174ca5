package daemon

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
)

// Reload loads the configuration again, builds everything from it and only then puts it in force; an error changes
// nothing. The notes name what needs a restart to take effect. Reloads wait for each other; ctx does not end one.
func (d *Daemon) Reload(context.Context) (notes []string, err error) {
	d.reload.Lock()
	defer d.reload.Unlock()
	if d.state.Load() == draining {
		return nil, errDraining
	}
	d.tell(stateReloading(monotonic()))
	defer d.tell(stateReady)
	cfg, problems := d.load()
	if len(problems) > 0 {
		for _, p := range problems {
			d.log.Error("configuration refused", zap.String("problem", p.String()))
		}
		d.metrics.Loaded(false, time.Now())
		return nil, problems
	}
	swap, err := d.traffic.Reload(cfg)
	if err != nil {
		d.log.Error("configuration refused", zap.Error(err))
		d.metrics.Loaded(false, time.Now())
		return nil, err
	}
	swap()
	d.take(cfg)
	d.metrics.Loaded(true, time.Now())
	notes = restarts(d.first, cfg)
	d.log.Info("configuration reloaded", zap.Strings("notes", notes))
	return notes, nil
}

// restarts names the keys of which a change takes no effect while the process lives.
func restarts(was, is *config.Config) (notes []string) {
	for _, key := range []struct {
		name    string
		changed bool
	}{
		{"listen", was.Listen != is.Listen},
		{"tls", was.TLS != is.TLS},
		{"max_connections", was.MaxConnections != is.MaxConnections},
		{"admin.listen", was.Admin.Listen != is.Admin.Listen},
		{"log.format", was.Log.Format != is.Log.Format},
	} {
		if key.changed {
			notes = append(notes, key.name+" has changed and needs a restart")
		}
	}
	return notes
}
