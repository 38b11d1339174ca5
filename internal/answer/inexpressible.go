package answer

// Inexpressible is what a Channel answers when the client's revision has no form for an ask. It counts as no channel.
type Inexpressible struct {
	// Why says what there is no form for, after "the client cannot be asked: ".
	Why string
}

func (e *Inexpressible) Error() string { return e.Why }
