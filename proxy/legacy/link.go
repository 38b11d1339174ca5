package legacy

import (
	"crypto/rand"
	"encoding/hex"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// withElicitationID adds the identifier that clients need for a link and that the
// modern protocol no longer has. It is made here and never goes up.
func withElicitationID(params []byte) []byte {
	var out object
	_ = wire.Each(params, func(key string, value []byte) error {
		if key != "elicitationId" {
			out.add(key, value)
		}
		return nil
	})
	out.add("elicitationId", wire.AppendQuoted(nil, newUUID()))
	return out.end()
}

// newUUID makes a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	x := hex.EncodeToString(b[:])
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}
