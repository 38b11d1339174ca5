package modern

import (
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// discovery is what a client is told of the server: of its versions those that are
// spoken here, and its capabilities without tasks. It is nil where the server's own
// bytes say just that.
func discovery(result []byte) []byte {
	changed := false
	out := wire.Rewrite(result, func(name string, value []byte) []byte {
		fits := value
		switch name {
		case "supportedVersions":
			fits = common(value)
		case "capabilities":
			fits = withoutTasks(value)
		}
		changed = changed || string(fits) != string(value)
		return fits
	})
	if !changed {
		return nil
	}
	return out
}

// common is a list of versions without those that are not spoken here.
func common(list []byte) []byte {
	all, ours := 0, false
	_ = wire.Items(list, func(v []byte) error {
		all++
		version, _ := wire.Unquote(v)
		ours = ours || version == wire.Modern
		return nil
	})
	switch {
	case all == 1 && ours:
		return list
	case ours:
		return []byte(`["` + wire.Modern + `"]`)
	}
	return []byte(`[]`)
}

func withoutTasks(capabilities []byte) []byte {
	return wire.Rewrite(capabilities, func(name string, value []byte) []byte {
		switch name {
		case "tasks":
			return nil
		case "extensions":
			return wire.Without(value, wire.TasksExtension)
		}
		return value
	})
}
