package wire

import (
	"bytes"
	"hash/maphash"
)

func skipSpaces(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// valueEnd gives the end of the value that starts at i in valid JSON; 0 when there is
// none, in JSON that is not.
func valueEnd(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch c := b[i]; c {
		case '"':
			end, reason, _ := stringEnd(b, i+1)
			if reason != 0 {
				return 0
			}
			i = end
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return 0
			}
			i++
			continue
		default:
			for i < len(b) && !endsWord(b[i]) {
				i++
			}
		}
		if depth <= 0 {
			return i
		}
	}
	return 0
}

func endsWord(c byte) bool { return c == ',' || c == '}' || c == ']' || c == ':' || isSpace(c) }

// members walks over the members of a valid JSON object. It is no function that calls
// back: such calls nest as deeply as what is read, and a goroutine that goes on to wait
// keeps the stack they needed.
type members struct {
	obj         []byte
	at          int    // after the last member, or 0
	name, value []byte // of the member under the walk, the name as it is written
}

// next goes to the next member; false is the end, or a fault.
func (m *members) next() (bool, error) {
	b := m.obj
	i := skipSpaces(b, m.at)
	switch {
	case i == len(b):
		return false, &Error{Reason: NotAMessage}
	case m.at > 0 && b[i] == '}':
		return false, nil
	case m.at > 0 && b[i] != ',' || m.at == 0 && b[i] != '{':
		return false, &Error{Reason: NotAMessage}
	}
	first := m.at == 0
	if i = skipSpaces(b, i+1); i < len(b) && b[i] == '}' && first {
		m.at = i + 1
		return false, nil
	}
	end := 0
	if i < len(b) && b[i] == '"' {
		end = valueEnd(b, i)
	}
	if end == 0 {
		return false, &Error{Reason: NotAMessage}
	}
	m.name = b[i:end:end]
	if i = skipSpaces(b, end); i == len(b) || b[i] != ':' {
		return false, &Error{Reason: NotAMessage}
	}
	i = skipSpaces(b, i+1)
	if end = valueEnd(b, i); end == 0 {
		return false, &Error{Reason: NotAMessage}
	}
	m.value, m.at = b[i:end:end], end
	return true, nil
}

// elements calls f with every element of a valid JSON array.
func elements(array []byte, f func(value []byte) error) error {
	i := skipSpaces(array, 0) + 1
	for i = skipSpaces(array, i); i < len(array) && array[i] != ']'; {
		end := valueEnd(array, i)
		if end == 0 {
			return &Error{Reason: Syntax, Offset: i}
		}
		if err := f(array[i:end:end]); err != nil {
			return err
		}
		if i = skipSpaces(array, end); i < len(array) && array[i] == ',' {
			i = skipSpaces(array, i+1)
		}
	}
	return nil
}

// noDuplicates refuses members that appear twice anywhere in a valid value. It
// recurses at most MaxDepth times.
func noDuplicates(value []byte) error {
	switch KindOf(value) {
	case '[':
		return elements(value, noDuplicates)
	case '{':
		var names seen
		m := members{obj: value}
		for {
			more, err := m.next()
			switch {
			case !more:
				return err
			case !names.add(other, hashName(m.name[1:len(m.name)-1])):
				return &Error{Reason: Duplicate}
			}
			if err = noDuplicates(m.value); err != nil {
				return err
			}
		}
	}
	return nil
}

func hashName(raw []byte) uint64 {
	if bytes.IndexByte(raw, '\\') < 0 {
		return maphash.Bytes(seed, raw)
	}
	_, hash := classifyEscaped(other, raw)
	return hash
}
