package wire

// Span is the half open range [Lo, Hi) of a message. Hi is 0 when what it stands
// for is absent.
type Span struct{ Lo, Hi int }

// IsSet reports whether the Span stands for anything.
func (s Span) IsSet() bool { return s.Hi != 0 }

// Len is the number of bytes of the Span.
func (s Span) Len() int { return s.Hi - s.Lo }

// Of returns the bytes of msg that the Span stands for, nil when it is absent.
func (s Span) Of(msg []byte) []byte {
	if s.Hi == 0 {
		return nil
	}
	return msg[s.Lo:s.Hi:s.Hi]
}
