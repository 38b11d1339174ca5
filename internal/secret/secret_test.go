package secret

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

func TestShowsItselfToNobody(t *testing.T) {
	type holder struct {
		V Value
		P *Value
	}
	v := Of("s3cret")
	h := holder{v, &v}
	var texts []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		texts = append(texts, fmt.Sprintf(verb, v), fmt.Sprintf(verb, &v), fmt.Sprintf(verb, h), fmt.Sprintf(verb, []Value{v}))
	}
	b, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	texts = append(texts, string(b), v.String())
	e := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	line, err := e.EncodeEntry(zapcore.Entry{}, []zapcore.Field{zap.Any("v", v), zap.Any("h", h), zap.Reflect("r", v), zap.Stringer("s", v)})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(texts, line.String()) {
		if strings.Contains(text, "s3cret") || strings.Contains(strings.ToLower(text), "733363726574") {
			t.Errorf("shown in %s", text)
		}
	}
	if v.Reveal() != "s3cret" || v.IsZero() || !(Value{}).IsZero() {
		t.Error("not the secret itself")
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for content, want := range map[string]string{
		"k3y":                           "k3y",
		"k3y\n":                         "k3y",
		"k3y\r\n":                       "k3y",
		" k3y \n":                       " k3y ",
		"":                              "is empty",
		"\n":                            "is empty",
		"k3y\n\n":                       "holds control characters",
		"k3y\x00":                       "holds control characters",
		"one\ntwo\n":                    "holds control characters",
		strings.Repeat("k3y", maxBytes): "is longer than 65536 bytes",
	} {
		path := filepath.Join(dir, "file")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := ReadFile(path)
		if err != nil {
			if err.Error() != path+" "+want {
				t.Errorf("%.20q: %v", content, err)
			}
		} else if v.Reveal() != want {
			t.Errorf("%.20q: %q", content, v.Reveal())
		}
	}
	if _, err := ReadFile(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

func TestFromEnv(t *testing.T) {
	lookup := func(name string) (string, bool) { return map[string]string{"A": "k3y", "B": ""}[name], name != "C" }
	for name, want := range map[string]string{"A": "", "B": "the environment variable B is empty", "C": "the environment variable C is not set"} {
		v, err := FromEnv(name, lookup)
		if got := fmt.Sprint(err); (err == nil) != (want == "") || err != nil && got != want || err == nil && v.Reveal() != "k3y" {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Setenv("MRTR_PROXY_TEST", "k3y")
	if v, err := FromEnv("MRTR_PROXY_TEST", nil); err != nil || v.Reveal() != "k3y" {
		t.Errorf("the environment of the process: %v", err)
	}
}

func TestASecretForEverybodyIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, good := range map[os.FileMode]bool{0o400: true, 0o600: true, 0o440: true, 0o660: true, 0o644: false, 0o604: false, 0o602: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		v, err := ReadFile(path)
		if (err == nil) != good || good && v.Reveal() != "s3cret" {
			t.Errorf("mode %o: %v", mode, err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the error shows it: %v", err)
		}
	}
}
