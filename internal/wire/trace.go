package wire

// The members of _meta that carry a trace (General fields: _meta; W3C Trace Context and Baggage).
const (
	MetaTraceparent = "traceparent"
	MetaTracestate  = "tracestate"
	MetaBaggage     = "baggage"
)

// Offsets in a traceparent: version-traceid-parentid-flags, each in lower-case hexadecimal digits.
const (
	traceVersionEnd = 2
	traceIDEnd      = 35
	traceParentEnd  = 52
	traceLength     = 55
)

// TraceID gives the trace id of a traceparent, 32 hexadecimal digits. ok is false for what is no traceparent: a trace id
// never holds anything a peer made up beyond digits.
func TraceID(traceparent string) (id string, ok bool) {
	s := traceparent
	if len(s) < traceLength || s[traceVersionEnd] != '-' || s[traceIDEnd] != '-' || s[traceParentEnd] != '-' {
		return "", false
	}
	version, id, parent := s[:traceVersionEnd], s[traceVersionEnd+1:traceIDEnd], s[traceIDEnd+1:traceParentEnd]
	switch flags := s[traceParentEnd+1 : traceLength]; {
	case !isLowerHex(version), version == "ff", !isLowerHex(flags), !isLowerHex(id), !isLowerHex(parent), isZeros(id), isZeros(parent):
		return "", false
	case len(s) > traceLength && (version == "00" || s[traceLength] != '-'): // later versions may go on
		return "", false
	}
	return id, true
}

func isLowerHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func isZeros(s string) bool {
	for i := range len(s) {
		if s[i] != '0' {
			return false
		}
	}
	return true
}
