package wire

// Items calls f with each raw element of a valid JSON array, in order; each is a part
// of the array. It stops at f's first error and returns it. What is no array is an
// *Error (NotAMessage).
func Items(array []byte, f func(value []byte) error) error {
	if KindOf(array) != '[' {
		return &Error{Reason: NotAMessage}
	}
	return elements(array, f)
}
