package legacy

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
	"github.com/mrtr-proxy/mrtr-proxy/resolver"
)

// emptySchema is the form of a question without one.
const emptySchema = `{"type":"object","properties":{}}`

// downgrade gives the params of an ask in the form that the session's revision has for
// it: every other byte stays. It returns nil params where the ask has none.
func downgrade(a resolver.Ask, version wire.Version) ([]byte, error) {
	switch a.Kind {
	case wire.ElicitationForm:
		return downgradeForm(a.Params, version), nil
	case wire.ElicitationURL:
		return withElicitationID(a.Params), nil
	}
	return a.Params, nil
}

// downgradeForm fills in a missing schema, and takes out the mode for clients that
// know only forms.
func downgradeForm(params []byte, version wire.Version) []byte {
	out := []byte{'{'}
	member := func(key string, value []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = wire.AppendQuoted(out, key)
		out = append(append(out, ':'), value...)
	}
	if wire.Get(params, "requestedSchema") == nil {
		member("requestedSchema", []byte(emptySchema))
	}
	_ = wire.Each(params, func(key string, value []byte) error {
		if key != "mode" || version >= wire.V20251125 {
			member(key, value)
		}
		return nil
	})
	return append(out, '}')
}

// withElicitationID adds the identifier that clients need for a link and that the
// modern protocol no longer has. It is made here and never goes up.
func withElicitationID(params []byte) []byte {
	out := append([]byte(`{"elicitationId":"`), newUUID()...)
	out = append(out, '"')
	_ = wire.Each(params, func(key string, value []byte) error {
		if key == "elicitationId" {
			return nil
		}
		out = wire.AppendQuoted(append(out, ','), key)
		out = append(append(out, ':'), value...)
		return nil
	})
	return append(out, '}')
}

// newUUID makes a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	x := hex.EncodeToString(b[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}
