package modern

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// askables are the members of ClientCapabilities that decide what a server may ask.
var askables = [...]struct {
	member string
	bits   wire.Can
}{
	{"elicitation", wire.CanForm | wire.CanURL},
	{"sampling", wire.CanSampling | wire.CanSamplingTools | wire.CanSamplingContext},
	{"roots", wire.CanRoots},
}

// declaration is what a client's capabilities object says. It is shared: read only.
type declaration struct {
	raw  string
	can  wire.Can
	asIs bool // it needs no change as long as nothing is added to it or taken away
}

// declarations remembers objects that were read, since a client sends the same one with
// every request. It is a table in which a newer entry takes an older one's place.
type declarations struct {
	seed  maphash.Seed
	slots [64]atomic.Pointer[declaration]
}

func newDeclarations() *declarations { return &declarations{seed: maphash.MakeSeed()} }

// longest is the size in bytes up to which an object is remembered.
const longest = 4 << 10

// read reads a raw capabilities object; nil when it is none, or can be read in more than
// one way.
func (t *declarations) read(raw []byte) *declaration {
	slot := &t.slots[maphash.Bytes(t.seed, raw)%uint64(len(t.slots))]
	if d := slot.Load(); d != nil && d.raw == string(raw) {
		return d
	}
	if wire.KindOf(raw) != '{' || wire.ValidateStrict(raw) != nil {
		return nil
	}
	d := &declaration{raw: string(raw), can: wire.ParseCapabilities(raw).Can}
	d.asIs = changes(raw, d.can, d.can) == nil
	if len(raw) <= longest {
		slot.Store(d)
	}
	return d
}

// as gives what goes up in the object's place when declared is what may be asked; nil
// where the client's own bytes say just that.
func (d *declaration) as(declared wire.Can) []byte {
	if d.asIs && d.can == declared {
		return nil
	}
	return changes([]byte(d.raw), d.can, declared)
}

// changes makes of a client's capabilities object what goes up in its place: declared
// decides what may be asked, and tasks are left out. It is nil where the client's own
// bytes say just that. own is what was read of them.
func changes(raw []byte, own, declared wire.Can) []byte {
	var o wire.Object
	var said wire.Can
	changed := false
	wire.Members(raw, func(written, value []byte) {
		name, _ := wire.Unquote(written)
		fits := value
		bits := bitsOf(name)
		said |= bits
		switch {
		case bits != 0 && (own&bits != declared&bits || !isPlain(value)):
			fits = declaring(name, declared&bits)
		case name == "tasks":
			fits = nil
		case name == "extensions":
			fits = wire.Without(value, wire.TasksExtension)
		}
		if changed = changed || string(fits) != string(value); fits != nil {
			o.Put(written, fits)
		}
	})
	for _, a := range askables {
		if said&a.bits == 0 && declared&a.bits != 0 {
			o.Add(a.member, declaring(a.member, declared&a.bits))
			changed = true
		}
	}
	if !changed {
		return nil
	}
	return o.End()
}

func bitsOf(member string) wire.Can {
	for _, a := range askables {
		if a.member == member {
			return a.bits
		}
	}
	return 0
}

// declaring is the value of a member that declares just these; nil for nothing.
func declaring(member string, can wire.Can) []byte {
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
