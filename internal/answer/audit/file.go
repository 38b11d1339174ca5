package audit

import (
	"errors"
	"io"
	"os"
	"sync"

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
	torn    bool // the last line has no end
}

var _ answer.Auditor = (*File)(nil)

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
	f.file, f.failing = file, false
	if info, err := file.Stat(); err == nil && info.Size() == 0 {
		f.torn = false
	}
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

// Record writes one line; with an error the record is lost.
func (f *File) Record(r answer.Record) error {
	b, err := encode(&r)
	f.mu.Lock()
	if err == nil {
		err = f.write(b)
	}
	news := err != nil && !f.failing
	f.failing = err != nil
	f.mu.Unlock()
	if news && f.failed != nil {
		f.failed(err)
	}
	return err
}

// write keeps a line whole: what a full disk has cut is ended before the next one.
func (f *File) write(line []byte) error {
	if f.file == nil {
		return errors.New("the audit file is closed")
	}
	if f.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := f.file.Write(line)
	if n > 0 {
		f.torn = n < len(line)
	}
	return err
}

// Failing reports whether the last record was lost, and the file not been opened anew since.
func (f *File) Failing() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failing
}
