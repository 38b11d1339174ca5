package session

import (
	"sync"
	"sync/atomic"
)

// mailbox is the in-memory Mailbox. What belongs to a session lies in one shard, under one lock; nothing is called while
// a lock is held.
type mailbox struct {
	ended     func(ID) bool
	full      func(Table)
	exchanges bound
	asks      bound
	streams   bound
	shards    [shardCount]mailShard
}

type mailShard struct {
	mu        sync.Mutex
	serial    uint64 // tells an entry from a later one under the same key, so that leaving twice is harmless
	exchanges map[mailKey]exchangeEntry
	asks      map[mailKey]askEntry
	streams   map[streamKey]func()
	_         [24]byte // shards do not share a cache line
}

// mailKey is a session's request or ask.
type mailKey struct {
	session ID
	id      string
}

type streamKey struct {
	session ID
	serial  uint64
}

type exchangeEntry struct {
	box    Box
	serial uint64
}

type askEntry struct {
	deliver func([]byte)
	serial  uint64
}

// bound counts what is in a table over all shards.
type bound struct {
	n   atomic.Int64
	max int64
	_   [48]byte
}

func (b *bound) take() bool {
	if b.n.Add(1) <= b.max {
		return true
	}
	b.n.Add(-1)
	return false
}

func (b *bound) give() { b.n.Add(-1) }

func newMailbox(o Options, ended func(ID) bool) *mailbox {
	m := &mailbox{ended: ended, full: o.Full}
	m.exchanges.max, m.asks.max, m.streams.max = int64(o.MaxExchanges), int64(o.MaxAsks), int64(o.MaxStreams)
	for i := range m.shards {
		s := &m.shards[i]
		s.exchanges = make(map[mailKey]exchangeEntry)
		s.asks = make(map[mailKey]askEntry)
		s.streams = make(map[streamKey]func())
	}
	return m
}

// Enter implements Mailbox.
func (m *mailbox) Enter(session ID, request string, b Box) (leave func(), err error) {
	if !m.exchanges.take() {
		m.full(TableExchanges)
		return nil, ErrFull
	}
	key := mailKey{session, request}
	s := &m.shards[shardOf(session)]
	s.mu.Lock()
	if _, used := s.exchanges[key]; used {
		s.mu.Unlock()
		m.exchanges.give()
		return nil, ErrInUse
	}
	s.serial++
	serial := s.serial
	s.exchanges[key] = exchangeEntry{b, serial}
	s.mu.Unlock()
	if m.ended(session) { // marked before EndSession looks here: one of the two sees the other
		b.SessionEnded()
	}
	return func() {
		s.mu.Lock()
		mine := s.exchanges[key].serial == serial
		if mine {
			delete(s.exchanges, key)
		}
		s.mu.Unlock()
		if mine {
			m.exchanges.give()
		}
	}, nil
}

// Cancel implements Mailbox.
func (m *mailbox) Cancel(session ID, request string) bool {
	s := &m.shards[shardOf(session)]
	s.mu.Lock()
	e, ok := s.exchanges[mailKey{session, request}]
	s.mu.Unlock()
	if ok {
		e.box.Cancelled()
	}
	return ok
}

// Expect implements Mailbox.
func (m *mailbox) Expect(session ID, ask string, deliver func(message []byte)) (forget func(), err error) {
	if !m.asks.take() {
		m.full(TableAsks)
		return nil, ErrFull
	}
	key := mailKey{session, ask}
	s := &m.shards[shardOf(session)]
	s.mu.Lock()
	if _, used := s.asks[key]; used {
		s.mu.Unlock()
		m.asks.give()
		return nil, ErrInUse
	}
	s.serial++
	serial := s.serial
	s.asks[key] = askEntry{deliver, serial}
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		mine := s.asks[key].serial == serial
		if mine {
			delete(s.asks, key)
		}
		s.mu.Unlock()
		if mine {
			m.asks.give()
		}
	}, nil
}

// Deliver implements Mailbox.
func (m *mailbox) Deliver(session ID, ask string, message []byte) bool {
	key := mailKey{session, ask}
	s := &m.shards[shardOf(session)]
	s.mu.Lock()
	e, ok := s.asks[key]
	if ok {
		delete(s.asks, key)
	}
	s.mu.Unlock()
	if ok {
		m.asks.give()
		e.deliver(message)
	}
	return ok
}

// Attach implements Mailbox.
func (m *mailbox) Attach(session ID, closed func()) (detach func(), err error) {
	if !m.streams.take() {
		m.full(TableStreams)
		return nil, ErrFull
	}
	s := &m.shards[shardOf(session)]
	s.mu.Lock()
	s.serial++
	key := streamKey{session, s.serial}
	s.streams[key] = closed
	s.mu.Unlock()
	if m.ended(session) {
		closed()
	}
	return func() {
		s.mu.Lock()
		_, mine := s.streams[key]
		delete(s.streams, key)
		s.mu.Unlock()
		if mine {
			m.streams.give()
		}
	}, nil
}

// EndSession implements Mailbox.
func (m *mailbox) EndSession(session ID) {
	var boxes []Box
	var closed []func()
	s := &m.shards[shardOf(session)]
	s.mu.Lock()
	for k, e := range s.exchanges {
		if k.session == session {
			boxes = append(boxes, e.box)
		}
	}
	for k, f := range s.streams {
		if k.session == session {
			closed = append(closed, f)
		}
	}
	s.mu.Unlock()
	for _, b := range boxes {
		b.SessionEnded()
	}
	for _, f := range closed {
		f()
	}
}
