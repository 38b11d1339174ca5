package daemon

import (
	"sync"
	"time"

	"go.uber.org/zap/zapcore"
)

const (
	// pace is how often the log is written to while many lines come, and so the longest that one of them waits.
	pace = 50 * time.Millisecond
	// maxHeld is how many bytes of lines wait at most.
	maxHeld = 64 << 10
)

// paced is an output of the log that a flood of lines costs little: a line goes out at once, unless one did a moment ago; then
// it goes with those that follow. Errors of what has waited are lost, as those of a log are.
type paced struct {
	out zapcore.WriteSyncer

	mu    sync.Mutex
	held  []byte
	next  time.Time   // when a line may go out at once again
	timer *time.Timer // writes what is held; nil while none runs
}

// Write implements zapcore.WriteSyncer.
func (p *paced) Write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if len(p.held) == 0 && !now.Before(p.next) {
		p.next = now.Add(pace)
		return p.out.Write(line)
	}
	p.held = append(p.held, line...)
	switch {
	case len(p.held) >= maxHeld, !now.Before(p.next): // a timer may be late
		return len(line), p.flush(now)
	case p.timer == nil:
		p.timer = time.AfterFunc(p.next.Sub(now), p.tick)
	}
	return len(line), nil
}

func (p *paced) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer = nil
	_ = p.flush(time.Now())
}

// flush is called with mu held.
func (p *paced) flush(now time.Time) error {
	if len(p.held) == 0 {
		return nil
	}
	_, err := p.out.Write(p.held)
	p.held, p.next = p.held[:0], now.Add(pace)
	return err
}

// Sync implements zapcore.WriteSyncer.
func (p *paced) Sync() error {
	p.mu.Lock()
	err := p.flush(time.Now())
	p.mu.Unlock()
	if fault := p.out.Sync(); err == nil {
		err = fault
	}
	return err
}
