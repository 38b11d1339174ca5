package audit

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"

	"go.uber.org/zap"

	"github.com/mrtr-proxy/mrtr-proxy/internal/answer"
)

// File appends records to a file, each with one write, so that lines of several processes do not mix. It is safe for
// concurrent use.
type File struct {
	path   string
	failed func(error)

	mu      sync.Mutex
	file    io.WriteCloser // nil when closed
	failing bool
}

var (
	_ answer.Auditor = (*File)(nil)
	_ answer.Auditor = (*Log)(nil)
)

// Open opens the file for appending, and makes it, readable by its owner alone, when it is not there. failed hears of a
// write that failed, once until one has succeeded again; it may be nil.
func Open(path string, failed func(error)) (*File, error) {
	f := &File{path: path, failed: failed}
	if err := f.Reopen(); err != nil {
		return nil, err
	}
	return f, nil
}

// Path is the path that the file was opened with.
func (f *File) Path() string { return f.path }

// Reopen goes on in the file that now has the path, as after a rotation. When it cannot be opened the old one is kept.
func (f *File) Reopen() error {
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.mu.Lock()
	old := f.file
	f.file = file
	f.mu.Unlock()
	if old != nil {
		return old.Close()
	}
	return nil
}

// Close closes the file; records are dropped from then on.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// Record writes one line.
func (f *File) Record(r answer.Record) {
	b := encode(&r)
	f.mu.Lock()
	err := errors.New("the audit file is closed")
	if f.file != nil {
		_, err = f.file.Write(b)
	}
	news := err != nil && !f.failing
	f.failing = err != nil
	f.mu.Unlock()
	if news && f.failed != nil {
		f.failed(err)
	}
}

// Log writes records into the log, as the member "audit" of a message of level info.
type Log struct{ log *zap.Logger }

// NewLog makes a Log.
func NewLog(l *zap.Logger) *Log { return &Log{l} }

// Record writes one message.
func (l *Log) Record(r answer.Record) {
	l.log.Info("ask settled", zap.Any("audit", raw(bytes.TrimSpace(encode(&r)))))
}

// raw is JSON that an encoder of the log takes over as it is.
type raw []byte

// MarshalJSON gives the JSON itself.
func (r raw) MarshalJSON() ([]byte, error) { return r, nil }
