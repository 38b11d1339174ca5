package session_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

func testKey(fill byte) (k session.Key) {
	for i := range k {
		k[i] = fill + byte(i)*7 // has - and _, or + and /, as base64
	}
	return k
}

func TestKeyFiles(t *testing.T) {
	t.Parallel()
	a, b := testKey(0xf8), testKey(3)
	h := hex.EncodeToString(a[:])
	padded := base64.StdEncoding.EncodeToString(b[:])
	for name, tc := range map[string]struct {
		content string
		want    []session.Key
	}{
		"hex":                    {h + "\n", []session.Key{a}},
		"capitals, no line end":  {strings.ToUpper(h), []session.Key{a}},
		"base64":                 {padded, []session.Key{b}},
		"base64 without padding": {strings.TrimRight(padded, "="), []session.Key{b}},
		"URL-safe":               {base64.URLEncoding.EncodeToString(a[:]), []session.Key{a}},
		"URL-safe, no padding":   {base64.RawURLEncoding.EncodeToString(a[:]), []session.Key{a}},
		"two, in order":          {padded + "\n" + h, []session.Key{b, a}},
		"comments and blanks":    {"# made 2026-08-01\r\n\r\n  " + h + "  \r\n\t\n# old\n" + padded + "\n\n", []session.Key{a, b}},
	} {
		got, err := session.ParseKeyFile([]byte(tc.content))
		if err != nil || !cmp.Equal(got, tc.want) {
			t.Errorf("%s: %d keys, %v", name, len(got), err)
		}
	}
}

func TestBadKeyFiles(t *testing.T) {
	t.Parallel()
	k := testKey(1)
	h := hex.EncodeToString(k[:])
	many := new(strings.Builder)
	for i := range 33 {
		k := testKey(byte(i))
		fmt.Fprintln(many, hex.EncodeToString(k[:]))
	}
	for name, tc := range map[string]struct{ content, want string }{
		"empty":              {"", "holds no key"},
		"comments only":      {"# none\n\n", "holds no key"},
		"too short":          {"# one\n" + h[2:], "line 2: not 32 bytes as hex or base64"},
		"odd":                {h + "0", "line 1: not 32 bytes as hex or base64"},
		"too long":           {h + "00", "line 1: not 32 bytes as hex or base64"},
		"a pass phrase":      {"correct horse battery staple", "line 1: not 32 bytes as hex or base64"},
		"two on a line":      {h + " " + h, "line 1: not 32 bytes as hex or base64"},
		"comment behind":     {h + " # mine", "line 1: not 32 bytes as hex or base64"},
		"base64, spare bits": {strings.TrimRight(base64.StdEncoding.EncodeToString(k[:]), "=")[:42] + "B", "line 1: not 32 bytes as hex or base64"},
		"twice":              {h + "\n#\n" + base64.StdEncoding.EncodeToString(k[:]), "line 3: the same key as on line 1"},
		"too many":           {many.String(), "line 33: more than 32 keys"},
		"no key file at all": {strings.Repeat("\n", 70000), "larger than 65536 bytes"},
	} {
		keys, err := session.ParseKeyFile([]byte(tc.content))
		if err == nil || err.Error() != tc.want || keys != nil {
			t.Errorf("%s: %d keys, %v; want %s", name, len(keys), err, tc.want)
		}
	}
}

func TestKeyFilesOthersCanReadAreRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys")
	k := testKey(1)
	if err := os.WriteFile(path, []byte(hex.EncodeToString(k[:])), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{
		0o400: true, 0o600: true, 0o640: true, 0o440: true, 0o700: true,
		0o644: false, 0o604: false, 0o602: false, 0o660: false, 0o620: false, 0o666: false, 0o777: false,
	} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		keys, err := session.ReadKeyFile(path)
		if (err == nil) != good || (len(keys) == 1) != good {
			t.Errorf("mode %04o: %d keys, %v", mode, len(keys), err)
		}
		if err != nil && !strings.Contains(err.Error(), path) {
			t.Errorf("%v does not name the file", err)
		}
	}
}

func TestUnreadableKeyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := session.ReadKeyFile(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("secret words"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := session.ReadKeyFile(bad)
	if err == nil || err.Error() != bad+": line 1: not 32 bytes as hex or base64" {
		t.Errorf("%v", err)
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := session.ReadKeyFile(big); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("%v", err)
	}
}

func TestKeysDoNotPrint(t *testing.T) {
	t.Parallel()
	k := testKey(1)
	for _, verb := range []string{"%v", "%+v", "%#v", "%x", "%X", "%s", "%q", "%d"} {
		for _, s := range []string{fmt.Sprintf(verb, k), fmt.Sprintf(verb, []session.Key{k}), fmt.Sprintf(verb, struct{ K session.Key }{k})} {
			if !strings.Contains(s, "[key]") {
				t.Errorf("%s prints %s", verb, s)
			}
		}
	}
	if b, err := json.Marshal(k); err == nil && !strings.Contains(string(b), "[key]") {
		t.Errorf("JSON has it: %s", b)
	}
}

func FuzzParseKeyFile(f *testing.F) {
	k := testKey(1)
	f.Add([]byte("# c\n" + hex.EncodeToString(k[:]) + "\r\n"))
	f.Add([]byte(base64.StdEncoding.EncodeToString(k[:])))
	f.Fuzz(func(t *testing.T, content []byte) {
		keys, err := session.ParseKeyFile(content)
		if (err == nil) != (len(keys) > 0) {
			t.Fatalf("%d keys, %v", len(keys), err)
		}
		var again []byte
		for _, k := range keys {
			again = append(again, hex.EncodeToString(k[:])+"\n"...)
		}
		if got, err := session.ParseKeyFile(again); len(keys) > 0 && (err != nil || !cmp.Equal(got, keys)) {
			t.Fatalf("written again: %v", err)
		}
	})
}
