package modern

import (
	"math"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// progress tells a client of its attempts, each with a token of its own, under the
// client's token. Values must grow over the whole request (Progress), but when a rule
// has answered and the request is sent again here, they begin anew: they go on where the
// attempt before stopped.
type progress struct {
	token  []byte // the client's, raw; nil when it asked for none
	minted string // the present attempt's
	offset float64
	last   float64
}

// translate is the notification for the client; nil when there is nothing to tell. What
// the first attempt tells passes as it is, but for the token.
func (p *progress) translate(m *wire.Scanner) []byte {
	if p.token == nil {
		return nil
	}
	msg := m.Bytes()
	value, err := strconv.ParseFloat(string(m.Progress.Of(msg)), 64)
	if minted := m.ProgressToken.Of(msg); string(minted) != p.minted {
		p.minted, p.offset = string(minted), p.last
	}
	if p.offset == 0 {
		if err == nil {
			p.last = max(p.last, value)
		}
		return m.AppendAddressed(nil, nil, p.token, nil)
	}
	if value += p.offset; err != nil || value <= p.last || math.IsInf(value, 0) {
		return nil
	}
	p.last = value
	return wire.Splice(nil, msg, []wire.Edit{{Span: m.Params, With: p.shifted(m.Params.Of(msg))}})
}

// shifted is the params of a notification, moved on by what the attempts before have
// reached.
func (p *progress) shifted(params []byte) []byte {
	return wire.Rewrite(params, func(name string, value []byte) []byte {
		switch name {
		case "progressToken":
			return p.token
		case "progress", "total":
			n, err := strconv.ParseFloat(string(value), 64)
			if n += p.offset; err != nil || math.IsInf(n, 0) {
				return nil
			}
			return strconv.AppendFloat(nil, n, 'f', -1, 64)
		}
		return value
	})
}
