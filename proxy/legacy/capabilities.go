package legacy

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// known is what a client has declared, as far as its revision has a form for it.
// Elicitation came with 2025-06-18, tools in sampling with 2025-11-25. A link goes by
// declaration, whatever revision was agreed: clients declare it ahead of theirs.
func known(v *visitor) wire.Can {
	can := v.claims.Capabilities.Can
	if v.claims.Version < wire.V20250618 {
		can &^= wire.CanForm | wire.CanURL
	}
	if v.claims.Version < wire.V20251125 {
		can &^= wire.CanSamplingTools | wire.CanSamplingContext
	}
	return can
}

// askable is what the client can be asked on a request: nothing where it reads no
// stream, since questions ride the request's own.
func askable(v *visitor, a accept) wire.Can {
	if !a.stream {
		return 0
	}
	return known(v)
}

// appendServerCapabilities appends what the client is promised: the server's
// capabilities without what is not bridged. raw is the object of server/discover.
func appendServerCapabilities(dst, raw []byte, version wire.Version) []byte {
	return append(dst, wire.Rewrite(raw, func(key string, value []byte) []byte {
		switch key {
		case "tasks":
			return nil
		case "completions":
			if version < wire.V20250326 {
				return nil
			}
		case "extensions":
			return wire.Without(value, wire.TasksExtension)
		}
		return value
	})...)
}
