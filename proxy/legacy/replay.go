package legacy

import (
	"bytes"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// maxReplay is how many bytes of events a stream keeps for a client that may come
// back. The oldest go first; the last one is always kept.
const maxReplay = 256 << 10

// replay keeps what a stream has carried. The zero value keeps nothing.
type replay struct {
	id   string // of the stream, unguessable; "" when it cannot be resumed
	next int    // number of the next event
	log  []byte // the events as they went down, one after the other
	ends []int  // where each of them ends in log
}

// name is the id of the next event: the stream's id and the event's number.
func (r *replay) name() string {
	if r.id == "" {
		return ""
	}
	r.next++
	return r.id + "-" + strconv.Itoa(r.next)
}

// keep adds an event as it went down.
func (r *replay) keep(event []byte) {
	if r.id == "" {
		return
	}
	r.log = append(r.log, event...)
	r.ends = append(r.ends, len(r.log))
	drop := 0
	for drop < len(r.ends)-1 && len(r.log)-r.start(drop) > maxReplay {
		drop++
	}
	if cut := r.start(drop); drop > 0 && cut > len(r.log)/2 { // seldom, so that it costs little
		r.log = bytes.Clone(r.log[cut:])
		for i, end := range r.ends[drop:] {
			r.ends[i] = end - cut
		}
		r.ends = r.ends[:len(r.ends)-drop]
	}
}

func (r *replay) start(i int) int {
	if i == 0 {
		return 0
	}
	return r.ends[i-1]
}

// after gives the events that followed event n, as far as they are kept.
func (r *replay) after(n int) []byte {
	first := r.next - len(r.ends) // the number before the first event that is kept
	i := min(max(n-first, 0), len(r.ends))
	return r.log[r.start(i):]
}

// parseEventID takes an event id apart.
func parseEventID(s string) (stream string, n int, ok bool) {
	stream, number, found := strings.Cut(s, "-")
	n, err := strconv.Atoi(number)
	return stream, n, found && err == nil && n >= 0 && stream != ""
}

// Streams are the replies whose client may come back for them after its connection
// broke. One table serves the process.
type Streams struct {
	mu      sync.Mutex
	replies map[string]*reply
	kept    atomic.Int64 // bytes of events, of all of them
}

// maxKept bounds the events of all streams, in bytes: a stream that would go beyond it
// cannot be resumed.
const maxKept = 128 << 20

// NewStreams makes an empty table.
func NewStreams() *Streams { return &Streams{replies: map[string]*reply{}} }

// maxStreams bounds the table: what comes beyond it cannot be resumed.
const maxStreams = 50_000

// add gives a reply an id under which it can be found; "" when the table is full.
func (t *Streams) add(p *reply) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.replies) >= maxStreams {
		return ""
	}
	id := rand.Text()
	t.replies[id] = p
	return id
}

func (t *Streams) remove(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.replies, id)
}

func (t *Streams) find(id string) *reply {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.replies[id]
}
