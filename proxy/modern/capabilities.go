package modern

import "github.com/mrtr-proxy/mrtr-proxy/internal/wire"

// askables are the members of ClientCapabilities that decide what a server may ask.
var askables = [...]struct {
	member string
	bits   wire.Can
}{
	{"elicitation", wire.CanForm | wire.CanURL},
	{"sampling", wire.CanSampling | wire.CanSamplingTools | wire.CanSamplingContext},
	{"roots", wire.CanRoots},
}

// effective makes of a client's capabilities object what goes up in its place: declared
// decides what may be asked, and tasks are left out. It is nil where the client's own
// bytes say just that. own is what was read of them.
func effective(raw []byte, own, declared wire.Can) []byte {
	var o object
	var said wire.Can
	changed := false
	_ = wire.Each(raw, func(name string, value []byte) error {
		fits := value
		bits := bitsOf(name)
		said |= bits
		switch {
		case bits != 0 && (own&bits != declared&bits || !isPlain(value)):
			fits = declaration(name, declared&bits)
		case name == "tasks":
			fits = nil
		case name == "extensions" && wire.Get(value, wire.TasksExtension) != nil:
			fits = without(value, wire.TasksExtension)
		}
		if changed = changed || string(fits) != string(value); fits != nil {
			o.add(name, fits)
		}
		return nil
	})
	for _, a := range askables {
		if said&a.bits == 0 && declared&a.bits != 0 {
			o.add(a.member, declaration(a.member, declared&a.bits))
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return o.bytes()
}

func bitsOf(member string) wire.Can {
	for _, a := range askables {
		if a.member == member {
			return a.bits
		}
	}
	return 0
}

// declaration is the value of a member that declares just these; nil for nothing.
func declaration(member string, can wire.Can) []byte {
	return wire.Get(wire.Capabilities{Can: can}.Append(nil), member)
}

// isPlain tells whether a declaration is an object of objects, which nobody reads as
// anything else.
func isPlain(value []byte) bool {
	plain := wire.KindOf(value) == '{'
	_ = wire.Each(value, func(_ string, part []byte) error {
		plain = plain && wire.KindOf(part) == '{'
		return nil
	})
	return plain
}
