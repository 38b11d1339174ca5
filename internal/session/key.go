package session

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

const (
	maxKeys    = 32
	maxKeyFile = 64 << 10
)

// Key is the secret that tokens are sealed under.
type Key [32]byte

// Format keeps a key out of every log and message.
func (Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[key]") }

// MarshalText keeps a key out of everything that is encoded.
func (Key) MarshalText() ([]byte, error) { return []byte("[key]"), nil }

// RandomKey makes a key that lives as long as the process.
func RandomKey() (k Key) {
	rand.Read(k[:]) // never fails: the process ends instead
	return k
}

// ReadKeyFile reads the keys in a file. It refuses a file that others can read or that others or its group can write.
func ReadKeyFile(path string) ([]Key, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()       //nolint:errcheck // only read from
	info, err := f.Stat() // of what was opened, so that a swapped file is not trusted
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o026 != 0 {
		return nil, fmt.Errorf("%s: mode %04o lets others read it, or its group write it; 0600 or 0640 is expected", path, mode)
	}
	content, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, err
	}
	defer clear(content)
	keys, err := ParseKeyFile(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// ParseKeyFile reads one key a line, 32 bytes as hex or base64 of either alphabet; blank lines and lines that start with
// # are skipped. The first key seals, all open. Errors name the line and never what is on it.
func ParseKeyFile(content []byte) ([]Key, error) {
	if len(content) > maxKeyFile {
		return nil, fmt.Errorf("larger than %d bytes", maxKeyFile)
	}
	var keys []Key
	lines := make(map[Key]int)
	n := 0
	for line := range bytes.Lines(content) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		k, ok := parseKey(string(line))
		if !ok {
			return nil, fmt.Errorf("line %d: not 32 bytes as hex or base64", n)
		}
		if first := lines[k]; first != 0 {
			return nil, fmt.Errorf("line %d: the same key as on line %d", n, first)
		}
		if len(keys) == maxKeys {
			return nil, fmt.Errorf("line %d: more than %d keys", n, maxKeys)
		}
		lines[k] = n
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return nil, errors.New("holds no key")
	}
	return keys, nil
}

func parseKey(s string) (k Key, ok bool) {
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString, // 64 digits: as base64 they would be 48 bytes
		base64.StdEncoding.Strict().DecodeString,
		base64.RawStdEncoding.Strict().DecodeString,
		base64.URLEncoding.Strict().DecodeString,
		base64.RawURLEncoding.Strict().DecodeString,
	} {
		if b, err := decode(s); err == nil && len(b) == len(k) {
			return Key(b), true
		}
	}
	return k, false
}
