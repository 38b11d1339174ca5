package wire

import (
	"bytes"
	"errors"
	"hash/maphash"
)

// errFound stops a walk that has what it looked for.
var errFound = errors.New("found")

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

// members calls f with every member of a valid JSON object, the name as it is written.
func members(obj []byte, f func(name, value []byte) error) error {
	i := skipSpaces(obj, 0)
	if i == len(obj) || obj[i] != '{' {
		return &Error{Reason: NotAMessage}
	}
	for i++; ; i++ {
		if i = skipSpaces(obj, i); i == len(obj) {
			return &Error{Reason: NotAMessage}
		}
		if obj[i] == '}' {
			return nil
		}
		nameEnd := valueEnd(obj, i)
		if nameEnd == 0 || obj[i] != '"' {
			return &Error{Reason: NotAMessage}
		}
		name := obj[i:nameEnd:nameEnd]
		if i = skipSpaces(obj, nameEnd); i == len(obj) || obj[i] != ':' {
			return &Error{Reason: NotAMessage}
		}
		lo := skipSpaces(obj, i+1)
		hi := valueEnd(obj, lo)
		if hi == 0 {
			return &Error{Reason: NotAMessage}
		}
		if err := f(name, obj[lo:hi:hi]); err != nil {
			return err
		}
		if i = skipSpaces(obj, hi); i == len(obj) || obj[i] != ',' && obj[i] != '}' {
			return &Error{Reason: NotAMessage}
		}
		if obj[i] == '}' {
			return nil
		}
	}
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
func noDuplicates(value []byte, seed maphash.Seed) error {
	switch KindOf(value) {
	case '[':
		return elements(value, func(v []byte) error { return noDuplicates(v, seed) })
	case '{':
		var names seen
		return members(value, func(name, v []byte) error {
			if !names.add(other, hashName(seed, name[1:len(name)-1])) {
				return &Error{Reason: Duplicate}
			}
			return noDuplicates(v, seed)
		})
	}
	return nil
}

func hashName(seed maphash.Seed, raw []byte) uint64 {
	if bytes.IndexByte(raw, '\\') < 0 {
		return maphash.Bytes(seed, raw)
	}
	_, hash := classifyEscaped(seed, other, raw)
	return hash
}
