package legacy

import (
	"sync"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
	"github.com/mrtr-proxy/mrtr-proxy/internal/wire"
)

const (
	// maxInbox bounds what is announced to a client that does not read; the oldest goes
	// first. Everything that a session can have subscribed to fits, so that a client
	// that is told to look again hears of all of it.
	maxInbox = 320
	// maxInboxBytes bounds the same; one message always fits.
	maxInboxBytes = 256 << 10
)

// inbox is what has been announced to a stream and is still to be written. It
// implements upstream.Stream. It starts no goroutine: whoever owns the stream waits for
// arrived, and takes what is there.
type inbox struct {
	dropped func(metrics.Direction, metrics.DropReason)
	arrived chan struct{} // holds one when there is something to take, or it is over

	mu       sync.Mutex
	messages [][]byte // shared with other streams: read only
	size     int      // of them, in bytes
	over     bool
}

func newInbox(dropped func(metrics.Direction, metrics.DropReason)) *inbox {
	return &inbox{dropped: dropped, arrived: make(chan struct{}, 1)}
}

// Announce implements upstream.Stream.
func (in *inbox) Announce(message []byte) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.over {
		in.dropped(metrics.Downstream, metrics.DropNoStream)
		return
	}
	in.messages = append(in.messages, message)
	in.size += len(message)
	drop := 0
	for drop < len(in.messages)-1 && (len(in.messages)-drop > maxInbox || in.size > maxInboxBytes) {
		in.size -= len(in.messages[drop])
		in.dropped(metrics.Downstream, metrics.DropOverflow)
		drop++
	}
	if drop > 0 {
		kept := copy(in.messages, in.messages[drop:])
		clear(in.messages[kept:])
		in.messages = in.messages[:kept]
	}
	in.ring()
}

// Over implements upstream.Stream.
func (in *inbox) Over() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.over = true
	in.ring()
}

func (in *inbox) ring() {
	select {
	case in.arrived <- struct{}{}:
	default:
	}
}

// take appends what has arrived to dst, as events. It is false when nothing more will
// arrive.
func (in *inbox) take(dst []byte) (events []byte, more bool) {
	in.mu.Lock()
	messages := in.messages
	in.messages, in.size = nil, 0 // most streams are silent most of the time: nothing is kept
	more = !in.over
	in.mu.Unlock()
	for _, m := range messages {
		dst = wire.AppendEvent(dst, "", m, false)
	}
	return dst, more
}

// close drops what nobody has taken.
func (in *inbox) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.over = true
	for range in.messages {
		in.dropped(metrics.Downstream, metrics.DropNoStream)
	}
	in.messages, in.size = nil, 0
}
