package upstream

import (
	"context"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/proxy/upstream/transport"
)

// Discover tells what the server offers under a credential. Callers that come together share one probe, which goes on when
// one of them leaves; a view is kept for as long as the server allows. An error is always an *Error: its Reason is WrongEra
// when the server is a legacy one.
func (u *Upstream) Discover(ctx context.Context, cred Credential) (*View, error) {
	now := time.Now()
	if u.isLegacy(now) {
		return nil, wrongEra()
	}
	who := u.audience(cred)
	if v := u.views.fresh(who, now); v != nil {
		return v, nil
	}
	return u.join(who, cred).wait(ctx)
}

// flight is a probe under way; view and err are set when done is closed.
type flight struct {
	done chan struct{}
	view *View
	err  *Error
}

func (f *flight) wait(ctx context.Context) (*View, error) {
	select {
	case <-f.done:
		if f.err != nil {
			return nil, f.err
		}
		return f.view, nil
	case <-ctx.Done():
		return nil, &Error{Reason: Cancelled, Code: wire.CodeInternal, Message: wire.MethodDiscover + ": cancelled", cause: context.Cause(ctx)}
	}
}

// join takes part in the probe for a credential, and starts it if there is none.
func (u *Upstream) join(who session.Digest, cred Credential) *flight {
	u.views.mu.Lock()
	defer u.views.mu.Unlock()
	if f := u.views.flights[who]; f != nil {
		return f
	}
	f := &flight{done: make(chan struct{})}
	u.views.flights[who] = f
	go u.fly(f, who, cred)
	return f
}

// probeTime bounds a probe on a route whose server may be silent for ever.
const probeTime = time.Minute

// fly probes the server. The probe belongs to nobody: it ends with the Upstream, or when its time is over.
func (u *Upstream) fly(f *flight, who session.Digest, cred Credential) {
	defer func() {
		u.views.mu.Lock()
		delete(u.views.flights, who)
		u.views.mu.Unlock()
		close(f.done)
	}()
	limit := u.o.Timeout
	if limit <= 0 {
		limit = probeTime
	}
	ctx, cancel := context.WithTimeoutCause(u.closed, limit, transport.ErrSilence)
	defer cancel()
	f.view, f.err = u.probe(ctx, who, cred)
}

// probe asks the server what it is and draws the conclusions.
func (u *Upstream) probe(ctx context.Context, who session.Digest, cred Credential) (*View, *Error) {
	p := &probe{}
	var res Result
	err := u.attempt(ctx, u.discovery(cred), Retry{}, p, &res)
	now := time.Now()
	if err == nil {
		p.read()
	}
	if u.judge(evidence(p, res, err), now) == Legacy {
		return nil, wrongEra()
	}
	switch {
	case err != nil:
		return nil, err
	case !p.usable:
		return nil, p.unusable(res.status)
	case !slices.Contains(p.versions, wire.Modern):
		return nil, &Error{Reason: NoCommonVersion, Status: res.status, Code: wire.CodeInternal, Sent: true,
			Message: wire.MethodDiscover + ": " + versionsText(p.versions), Data: versionsData(p.versions)}
	}
	keep, public := freshness(p.result)
	u.views.keep(who, p.view, keep, public, now)
	return p.view, nil
}

// discovery is the request of a probe. It is the proxy's own: it declares nothing, and so can be asked nothing.
func (u *Upstream) discovery(cred Credential) *Call {
	meta := []byte(`"` + wire.MetaProtocolVersion + `":"` + wire.Modern + `","` + wire.MetaClientInfo + `":{"name":"mrtr-proxy","version":`)
	version := u.o.Version
	if version == "" {
		version = "unknown"
	}
	meta = wire.AppendQuoted(meta, version)
	meta = append(meta, `},"`+wire.MetaClientCapabilities+`":{}`...)
	return &Call{Method: wire.MethodDiscover, Meta: meta, Credential: cred}
}

// probe is the sink of a probe.
type probe struct {
	result []byte // raw; nil when it was an error
	fault  []byte // the raw error

	usable   bool
	view     *View
	versions []string
}

// Notify passes over what the server tells beside the answer.
func (p *probe) Notify(*wire.Scanner) {}

// Stream is for replies that go to a client.
func (p *probe) Stream(int64) (io.Writer, []byte, bool) { return nil, nil, false }

// Reply keeps the answer.
func (p *probe) Reply(m *wire.Scanner) error {
	p.result, p.fault = slices.Clone(m.Result.Of(m.Bytes())), slices.Clone(m.Error.Of(m.Bytes()))
	return nil
}

// read makes of the result what it tells.
func (p *probe) read() {
	if p.result == nil {
		return
	}
	p.view, p.versions = readView(p.result)
	p.usable = p.view != nil
}

// unusable is the failure of an answer that would be a legacy server's, from one that is taken for modern.
func (p *probe) unusable(status int) *Error {
	text := "upstream's answer is no discovery result"
	if p.fault != nil {
		code, _ := strconv.Atoi(string(wire.Get(p.fault, "code")))
		message, _ := wire.Unquote(wire.Get(p.fault, "message"))
		text = "upstream answered with error " + strconv.Itoa(code) + ": " + wire.Clean(message, 100)
	}
	e := &Error{Reason: Protocol, Status: status, Code: wire.CodeInternal, Message: wire.MethodDiscover + ": " + text, Sent: true}
	if status > 299 {
		e.Reason, e.Data = Status, statusData(status, "")
	}
	return e
}
