// Package secret keeps credentials out of sight: a Value shows itself to nobody who does not ask for it by name.
package secret

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxBytes bounds a secret; a longer file is no secret but a mistake.
const maxBytes = 64 << 10

const hidden = "[secret]"

// Value is a secret text. Every way of printing or encoding it gives a placeholder. The zero value is the empty secret.
type Value struct{ text string }

// Of hides text.
func Of(text string) Value { return Value{text} }

// Reveal gives the text itself, to be sent or compared, never to be printed.
func (v Value) Reveal() string { return v.text }

// IsZero reports whether there is no secret.
func (v Value) IsZero() bool { return v.text == "" }

// String gives a placeholder.
func (v Value) String() string { return hidden }

// Format gives a placeholder for every verb, %#v and %x included.
func (v Value) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, hidden) }

// MarshalText gives a placeholder.
func (v Value) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// ReadFile reads a secret from a file and takes the line ending off its end. A file that everybody may read or write is
// refused. The errors do not hold the content.
func ReadFile(path string) (Value, error) {
	f, err := os.Open(path)
	if err != nil {
		return Value{}, err
	}
	defer f.Close() //nolint:errcheck // only read from
	info, err := f.Stat()
	if err != nil {
		return Value{}, err
	}
	if info.Mode().Perm()&0o006 != 0 {
		return Value{}, fmt.Errorf("%s can be read or written by everybody on this machine: take that away (chmod o-rw)", path)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return Value{}, err
	}
	if len(content) > maxBytes {
		return Value{}, fmt.Errorf("%s is longer than %d bytes", path, maxBytes)
	}
	return checked(strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r"), path)
}

// FromEnv takes a secret from an environment variable. lookup may be nil for the environment of the process.
func FromEnv(name string, lookup func(string) (string, bool)) (Value, error) {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	text, ok := lookup(name)
	if !ok {
		return Value{}, fmt.Errorf("the environment variable %s is not set", name)
	}
	return checked(text, "the environment variable "+name)
}

// checked refuses what could not be sent in a header.
func checked(text, where string) (Value, error) {
	if text == "" {
		return Value{}, errors.New(where + " is empty")
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return Value{}, errors.New(where + " holds control characters")
	}
	return Value{text}, nil
}
