package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
)

var one = answer.Record{
	Time: time.Date(2026, 7, 28, 12, 0, 0, 5, time.FixedZone("", 3600)), Route: "/mcp", Session: "5e55", Principal: "9219", Client: "tester",
	Method: "tools/call", Name: "deploy", Round: 2, Key: "port", Kind: "elicitation_form", Fields: []string{"port"},
	Rule: "desk", Action: "webhook", Source: "webhook", Outcome: "accept", Wait: 1500 * time.Millisecond,
}

const oneLine = `{"time":"2026-07-28T11:00:00.000000005Z","route":"/mcp","session":"5e55","principal":"9219","client":"tester",` +
	`"request":{"method":"tools/call","name":"deploy"},"round":2,"ask":{"key":"port","kind":"elicitation_form","fields":["port"]},` +
	`"rule":"desk","action":"webhook","source":"webhook","outcome":"accept","wait_seconds":1.5`

func lines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func TestOneLineARecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	with, broken := one, one
	with.Answer = json.RawMessage("{\"action\":\"accept\",\n\"content\":{\"port\":9007199254740993,\"s\":\"\\u003c<\"}}")
	broken.Answer = json.RawMessage(`{`)
	for _, r := range []answer.Record{one, with, broken, {}} {
		_ = f.Record(r)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		oneLine + `}`,
		oneLine + `,"answer":{"action":"accept","content":{"port":9007199254740993,"s":"\u003c<"}}}`,
		oneLine + `}`,
		`{"time":"0001-01-01T00:00:00Z","route":"","request":{"method":""},"round":0,"ask":{"key":"","kind":""},"action":"","source":"","outcome":"","wait_seconds":0}`,
	}
	for i, got := range lines(t, path) {
		if i >= len(want) || got != want[i] {
			t.Errorf("line %d is\n%s\nwant\n%s", i+1, got, want[min(i, len(want)-1)])
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}

func TestLinesOfManyAsksDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 10 {
				_ = f.Record(one)
			}
		})
	}
	wg.Wait()
	_ = f.Close()
	got := lines(t, path)
	for _, l := range got {
		if l != oneLine+`}` {
			t.Fatalf("line %s", l)
		}
	}
	if len(got) != 200 {
		t.Errorf("%d lines, want 200", len(got))
	}
}

func TestReopenAfterARotation(t *testing.T) {
	dir := t.TempDir()
	path, rotated := filepath.Join(dir, "audit.log"), filepath.Join(dir, "audit.log.1")
	f, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // nothing is left to write
	_ = f.Record(one)
	if err := os.Rename(path, rotated); err != nil {
		t.Fatal(err)
	}
	_ = f.Record(one)
	if err := f.Reopen(); err != nil {
		t.Fatal(err)
	}
	_ = f.Record(one)
	if a, b := len(lines(t, rotated)), len(lines(t, path)); a != 2 || b != 1 {
		t.Errorf("%d lines before and %d after", a, b)
	}
}

func TestAFailureIsReportedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	var reported []error
	f, err := Open(path, func(err error) { reported = append(reported, err) })
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	_ = f.Record(one)
	_ = f.Record(one)
	if len(reported) != 1 {
		t.Errorf("reported %v, want once", reported)
	}
	if err := f.Reopen(); err != nil {
		t.Fatal(err)
	}
	_ = f.Record(one)
	_ = f.Close()
	_ = f.Record(one)
	if len(reported) != 2 {
		t.Errorf("reported %v, want once more", reported)
	}
	if f, err := Open(filepath.Join(path, "x"), nil); err == nil || f != nil {
		t.Errorf("opened %v", f)
	}
}

func TestRecordsInTheLog(t *testing.T) {
	for name, encoder := range map[string]zapcore.Encoder{
		"json":    zapcore.NewJSONEncoder(zapcore.EncoderConfig{MessageKey: "msg"}),
		"console": zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "msg"}),
	} {
		var out bytes.Buffer
		_ = NewLog(zap.New(zapcore.NewCore(encoder, zapcore.AddSync(&out), zapcore.InfoLevel))).Record(one)
		if got := strings.ReplaceAll(out.String(), " ", ""); !strings.Contains(got, fmt.Sprintf(`"audit":%s}`, oneLine)) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
