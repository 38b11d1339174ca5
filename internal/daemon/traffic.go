package daemon

import (
	"context"
	"fmt"
	"sync"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/answer/audit"
	"github.com/mrtr-proxy/mrtr-proxy/internal/budget"
	"github.com/mrtr-proxy/mrtr-proxy/internal/config"
	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

// maxExchanges bounds the requests that run at once. Each holds a connection and its
// message, so this is far beyond what a machine serves well.
const maxExchanges = 50_000

// traffic is package proxy's handler with what a configuration names outside of it:
// key files and audit files.
type traffic struct {
	*proxy.Proxy
	parts  Parts
	random []session.Key // seals where there is no key file; made once, so that a reload keeps the sessions
	audit  *audit.File   // nil: records go with the log
	forgot sync.Once     // that buckets were forgotten has been told
}

// Build makes the traffic handler of the proxy.
func Build(p Parts) (Traffic, error) {
	t := &traffic{parts: p, random: []session.Key{session.RandomKey()}}
	o, swap, err := t.options(p.Config)
	if err != nil {
		return nil, err
	}
	t.Proxy = proxy.New(proxy.Shared{
		Store:        session.NewMemory(session.Options{Full: t.full}),
		Budgets:      budget.NewMemory(0, t.forgetting),
		Metrics:      p.Metrics,
		Log:          p.Log,
		MaxExchanges: maxExchanges,
	}, o)
	swap()
	return t, nil
}

// forgetting tells that so many buckets of budgets are in use that some are forgotten.
func (t *traffic) forgetting() {
	t.forgot.Do(func() {
		t.parts.Log.Warn("more buckets of budgets are in use than are kept: some are full again too early")
	})
}

// full tells that a table of the store was full, which somebody has to know.
func (t *traffic) full(table session.Table) {
	t.parts.Metrics.Dropped(metrics.Upstream, metrics.DropOverflow)
	t.parts.Log.Warn("a table of the session store is full", zap.Stringer("table", table))
}

// Reload builds all that c asks for and changes nothing; swap then puts it in force.
func (t *traffic) Reload(c *config.Config) (func(), error) {
	o, swap, err := t.options(c)
	if err != nil {
		return nil, err
	}
	return func() {
		t.Proxy.Reload(o)
		swap()
	}, nil
}

// Drain takes no new exchanges and waits for those that run.
func (t *traffic) Drain(ctx context.Context) error {
	t.Proxy.Drain(ctx)
	return ctx.Err()
}

// Close lets go of everything.
func (t *traffic) Close() {
	t.Proxy.Close()
	if t.audit != nil {
		_ = t.audit.Close()
	}
}

// options maps a configuration onto the handler's options; swap closes what the one
// before it had and this one has not.
func (t *traffic) options(c *config.Config) (o proxy.Options, swap func(), err error) {
	keys := t.random
	if c.Session.KeyFile != "" {
		if keys, err = session.ReadKeyFile(c.Session.KeyFile); err != nil {
			return o, nil, fmt.Errorf("session.key_file: %w", err)
		}
	}
	if o, err = trafficOptions(c, t.parts.Version); err != nil {
		return o, nil, err
	}
	if o.Sealer, err = session.NewSealer(keys); err != nil {
		return o, nil, fmt.Errorf("session.key_file: %w", err)
	}
	file, err := t.auditFile(c.Audit.File)
	if err != nil {
		return o, nil, fmt.Errorf("audit.file: %w", err)
	}
	o.Access = accessLog(t.parts.Log, c.Log.Access)
	o.Auditor = answer.Auditor(audit.NewLog(t.parts.Log))
	if file != nil {
		o.Auditor = file
	}
	return o, func() {
		if old := t.audit; old != nil && old != file {
			_ = old.Close()
		}
		t.audit = file
	}, nil
}

// auditFile opens the audit file, or opens it anew where it is the present one: a
// reload is also what follows a rotation.
func (t *traffic) auditFile(path string) (*audit.File, error) {
	switch {
	case path == "":
		return nil, nil
	case t.audit != nil && t.audit.Path() == path:
		return t.audit, t.audit.Reopen()
	}
	return audit.Open(path, func(err error) {
		t.parts.Log.Error("the audit file cannot be written: records are lost", zap.Error(err))
	})
}
