package legacy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
	"github.com/mrtr-proxy/mrtr-proxy/internal/deadline"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// Ask implements answer.Channel: the ask goes down as a request of the bridge's own,
// on the stream of the very POST that caused it, and the client's answer comes back
// in a POST of its own. When ctx ends first, the question is withdrawn.
func (p *reply) Ask(ctx context.Context, a resolver.Ask) (json.RawMessage, error) {
	if !p.accept.stream {
		return nil, answer.ErrNoChannel
	}
	params, err := downgrade(a, p.version)
	if err != nil {
		return nil, err
	}
	id := rand.Text()
	awaited := deadline.NewAwaited[[]byte]()
	forget, err := p.h.Store.Expect(p.session, id, awaited.Deliver)
	if err != nil {
		return nil, answer.ErrNoChannel // too many questions are open: as good as none that can be put
	}
	defer forget()
	p.question(id, a.Method, params)
	m, err := awaited.Wait(ctx)
	if err != nil {
		p.withdraw(id)
		return nil, err
	}
	given, err := result(m)
	if err == nil && a.Kind == wire.ElicitationURL {
		p.consented(params, given)
	}
	return given, err
}

// question writes a request to the client. A client that has dropped its stream may
// still come back for it, so that is no failure. It takes mu itself.
func (p *reply) question(id, method string, params []byte) {
	msg := make([]byte, 0, 64+len(id)+len(method)+len(params))
	msg = append(append(msg, `{"jsonrpc":"2.0","id":"`...), id...)
	msg = append(msg, `","method":`...)
	msg = wire.AppendQuoted(msg, method)
	if params != nil {
		msg = append(append(msg, `,"params":`...), params...)
	}
	msg = append(msg, '}')
	p.mu.Lock()
	defer p.mu.Unlock()
	p.event(msg, true)
	p.buf = nil // nothing follows for as long as somebody thinks about it
}

// withdraw tells the client that a question needs no answer any more. It takes mu itself.
func (p *reply) withdraw(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.event([]byte(`{"jsonrpc":"2.0","method":"`+wire.NotifyCancelled+`","params":{"requestId":"`+id+`"}}`), false)
}

// result takes the client's answer out of its response.
func result(m []byte) (json.RawMessage, error) {
	if r := wire.Get(m, "result"); r != nil {
		return r, nil
	}
	code, _ := strconv.Atoi(string(wire.Get(m, "error", "code")))
	message, _ := wire.Unquote(wire.Get(m, "error", "message"))
	return nil, &answer.ClientError{Code: code, Message: message}
}
