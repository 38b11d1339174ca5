package exchange

import (
	"net/http"
	"strings"

	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

// Bounds of what a header may put into _meta, in bytes: those that the specifications
// ask everybody to carry.
const (
	maxTracestate = 512
	maxBaggage    = 8192
)

// Trace is the trace context of a request: of its _meta, or of its headers where _meta
// has none.
type Trace struct {
	// ID is the trace's, 32 hexadecimal digits; "" when there is no trace.
	ID string
	// Members go into _meta, raw and without braces; nil when _meta has its own or there
	// is nothing to say.
	Members []byte
}

// TraceOf reads the trace context of a client's request. What is no trace context is
// taken as none: a request never fails for it.
func TraceOf(h http.Header, m *wire.Scanner) (t Trace) {
	msg := m.Bytes()
	if own := m.Traceparent.Of(msg); own != nil {
		value, _ := wire.Unquote(own)
		t.ID, _ = wire.TraceID(value)
		return t
	}
	meta := m.Meta.Of(msg)
	if parents := h["Traceparent"]; len(parents) == 1 {
		if id, ok := wire.TraceID(parents[0]); ok {
			t.ID = id
			t.add(wire.MetaTraceparent, parents[0])
			t.addHeader(meta, wire.MetaTracestate, h["Tracestate"], maxTracestate)
		}
	}
	t.addHeader(meta, wire.MetaBaggage, h["Baggage"], maxBaggage)
	return t
}

// addHeader adds the value of a header unless _meta has that member already.
func (t *Trace) addHeader(meta []byte, member string, values []string, most int) {
	if len(values) == 0 || wire.Get(meta, member) != nil {
		return
	}
	if value := strings.Join(values, ","); value != "" && len(value) <= most && isPrintable(value) {
		t.add(member, value)
	}
}

func (t *Trace) add(member, value string) {
	if t.Members != nil {
		t.Members = append(t.Members, ',')
	}
	t.Members = append(wire.AppendQuoted(t.Members, member), ':')
	t.Members = wire.AppendQuoted(t.Members, value)
}

// isPrintable: nothing but ASCII that may stand in a header.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
