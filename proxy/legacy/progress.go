package legacy

import (
	"math"
	"strconv"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// progress translates the progress of attempts, each with a token of its own, into
// the progress of one request with the client's token. Values must increase over the
// whole request, but a retry begins at zero again: it goes on where the attempt before
// it stopped. The reply's lock guards it.
type progress struct {
	token  []byte // the client's, raw; nil when it asked for none
	minted string // the present attempt's
	offset float64
	last   float64
	any    bool
}

// translate returns the notification for the client, or nil when there is nothing to
// tell: no token of the client's, no number, or a value that does not increase.
func (p *progress) translate(m *wire.Scanner) []byte {
	msg := m.Bytes()
	value, err := strconv.ParseFloat(string(m.Progress.Of(msg)), 64)
	if p.token == nil || err != nil {
		return nil
	}
	if minted := m.ProgressToken.Of(msg); string(minted) != p.minted {
		p.minted = string(minted)
		p.offset = p.last
	}
	value += p.offset
	if math.IsInf(value, 0) || p.any && value <= p.last {
		return nil
	}
	p.any, p.last = true, value
	if p.offset == 0 {
		return wire.Splice(nil, msg, []wire.Edit{{Span: m.ProgressToken, With: p.token}})
	}
	return wire.Splice(nil, msg, []wire.Edit{{Span: m.Params, With: p.shifted(m.Params.Of(msg))}})
}

// shifted is the params of a notification, with its numbers moved on by what the
// attempts before have reached.
func (p *progress) shifted(params []byte) []byte {
	return wire.Rewrite(params, func(key string, value []byte) []byte {
		switch key {
		case "progressToken":
			return p.token
		case "progress", "total":
			return p.shift(value)
		}
		return value
	})
}

func (p *progress) shift(value []byte) []byte {
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.IsInf(n+p.offset, 0) {
		return nil
	}
	return strconv.AppendFloat(nil, n+p.offset, 'f', -1, 64)
}
