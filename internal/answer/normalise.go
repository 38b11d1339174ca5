package answer

import (
	"encoding/json"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// normalise takes a client's elicitation answer for what it means: "reject" is an older word for decline, and an action
// that is no word of the protocol agrees to nothing. What is not understood stays as it is, for the check to refuse.
func normalise(raw json.RawMessage) json.RawMessage {
	action, ok := wire.Unquote(wire.Get(raw, "action"))
	if !ok {
		return raw
	}
	switch action {
	case "accept", "decline", "cancel":
		return raw
	case "reject":
		return with(raw, "action", `"decline"`)
	}
	return with(raw, "action", `"cancel"`)
}

// with rewrites one member of an object, or leaves it out when the value is "". Everything else keeps its bytes.
func with(object json.RawMessage, member, value string) json.RawMessage {
	out := append(make(json.RawMessage, 0, len(object)+len(value)), '{')
	err := wire.Each(object, func(name string, v []byte) error {
		if name == member {
			if value == "" {
				return nil
			}
			v = []byte(value)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = wire.AppendQuoted(out, name)
		out = append(append(out, ':'), v...)
		return nil
	})
	if err != nil {
		return object
	}
	return append(out, '}')
}
