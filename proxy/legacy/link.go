package legacy

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// withElicitationID adds the identifier that clients need for a link and that the
// modern protocol no longer has. It is made here and never goes up.
func withElicitationID(params []byte) []byte {
	var out wire.Object
	_ = wire.Each(params, func(key string, value []byte) error {
		if key != "elicitationId" {
			out.Add(key, value)
		}
		return nil
	})
	out.Add("elicitationId", wire.AppendQuoted(nil, newUUID()))
	return out.End()
}

// consented notes a link that the client has consented to. That is not the end of it:
// what happens behind the link happens elsewhere, and the server knows when. It takes
// mu itself.
func (p *reply) consented(params, answer []byte) {
	if action, _ := wire.Unquote(wire.Get(answer, "action")); action != "accept" || p.version < wire.V20251125 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.links = append(p.links, wire.Get(params, "elicitationId"))
}

// completeLinks tells the client that the links it has consented to are done with, as
// the server shows by a result. The caller holds mu.
func (p *reply) completeLinks() {
	for _, id := range p.links {
		msg := append([]byte(`{"jsonrpc":"2.0","method":"`+wire.NotifyElicitationComplete+`","params":{"elicitationId":`), id...)
		p.enqueue(append(msg, `}}`...), false)
	}
	p.links = nil
}

// newUUID makes a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	x := hex.EncodeToString(b[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}
