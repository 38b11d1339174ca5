package wire

// AskKind is what an ask wants.
type AskKind uint8

// The kinds.
const (
	ElicitationForm AskKind = iota + 1
	ElicitationURL
	Sampling
	Roots
)

var askKindNames = [...]string{"", "elicitation_form", "elicitation_url", "sampling", "roots"}

// String is the kind's label in metrics, "" for none.
func (k AskKind) String() string {
	if int(k) >= len(askKindNames) {
		return ""
	}
	return askKindNames[k]
}

// Needs is the capability that a client must have declared to be asked this.
func (k AskKind) Needs() Can {
	switch k {
	case ElicitationForm:
		return CanForm
	case ElicitationURL:
		return CanURL
	case Sampling:
		return CanSampling
	case Roots:
		return CanRoots
	}
	return 0
}

// Can is a set of things that can be asked for.
type Can uint16

// The capabilities that decide what may be asked.
const (
	CanForm Can = 1 << iota
	CanURL
	CanSampling
	CanSamplingTools
	CanSamplingContext
	CanRoots
)

// Has reports whether all of b is in c.
func (c Can) Has(b Can) bool { return c&b == b }

// Capabilities is what a client declared, cut down to what is carried upstream.
type Capabilities struct {
	Can Can
	// Experimental and Extensions are raw objects, nil when they declare nothing.
	// Extensions is without the tasks extension.
	Experimental, Extensions []byte
}

// ParseCapabilities reads a client's capabilities object, of either era. It never
// fails: a boolean, null or malformed member declares nothing, nor does an object
// with duplicate members. An elicitation object that names no mode means forms
// only (Elicitation, Capabilities). The result shares no memory with raw.
func ParseCapabilities(raw []byte) Capabilities {
	var c Capabilities
	if ValidateStrict(raw) != nil {
		return c
	}
	if e := object(raw, "elicitation"); e != nil {
		none := Get(e, "form") == nil && Get(e, "url") == nil
		c.Can |= when(none || object(e, "form") != nil, CanForm) | when(object(e, "url") != nil, CanURL)
	}
	if s := object(raw, "sampling"); s != nil {
		c.Can |= CanSampling | when(object(s, "tools") != nil, CanSamplingTools) |
			when(object(s, "context") != nil, CanSamplingContext)
	}
	c.Can |= when(object(raw, "roots") != nil, CanRoots)
	c.Experimental = copyWithout(object(raw, "experimental"), "")
	c.Extensions = copyWithout(object(raw, "extensions"), TasksExtension)
	return c
}

// object is the member of obj when that is an object, else nil.
func object(obj []byte, member string) []byte {
	if v := Get(obj, member); KindOf(v) == '{' {
		return v
	}
	return nil
}

func when(condition bool, c Can) Can {
	if condition {
		return c
	}
	return 0
}

// copyWithout copies a valid object without the member called unwanted; nil when
// nothing is left.
func copyWithout(obj []byte, unwanted string) []byte {
	var out []byte
	m := members{obj: obj}
	for more, _ := m.next(); more; more, _ = m.next() {
		if unwanted != "" && nameIs(m.name, unwanted) {
			continue
		}
		if out = append(out, ','); len(out) == 1 {
			out[0] = '{'
		}
		out = append(append(append(out, m.name...), ':'), m.value...)
	}
	if out == nil {
		return nil
	}
	return append(out, '}')
}

// Append appends the object for the clientCapabilities member of _meta; it holds only
// what is declared.
func (c Capabilities) Append(dst []byte) []byte {
	o := objectWriter{dst: append(dst, '{')}
	if c.Can&(CanForm|CanURL) != 0 {
		o.member("elicitation", nil)
		o.flags(c.Can, flag{CanForm, "form"}, flag{CanURL, "url"})
	}
	if c.Can.Has(CanSampling) {
		o.member("sampling", nil)
		o.flags(c.Can, flag{CanSamplingContext, "context"}, flag{CanSamplingTools, "tools"})
	}
	if c.Can.Has(CanRoots) {
		o.member("roots", []byte("{}"))
	}
	if c.Experimental != nil {
		o.member("experimental", c.Experimental)
	}
	if c.Extensions != nil {
		o.member("extensions", c.Extensions)
	}
	return append(o.dst, '}')
}

type flag struct {
	can  Can
	name string
}

// objectWriter appends the members of an object.
type objectWriter struct{ dst []byte }

func (o *objectWriter) member(name string, value []byte) {
	if o.dst[len(o.dst)-1] != '{' {
		o.dst = append(o.dst, ',')
	}
	o.dst = append(append(append(o.dst, '"'), name...), '"', ':')
	o.dst = append(o.dst, value...)
}

func (o *objectWriter) flags(c Can, flags ...flag) {
	o.dst = append(o.dst, '{')
	for _, f := range flags {
		if c.Has(f.can) {
			o.member(f.name, []byte("{}"))
		}
	}
	o.dst = append(o.dst, '}')
}
