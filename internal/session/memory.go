package session

import (
	"slices"
	"time"
)

// Table names a table of a store, for who counts that its bound was hit.
type Table uint8

// The tables.
const (
	TableEnded Table = iota
	TableLogLevels
	TableSubscriptions
	TableCredentials
	TableExchanges
	TableAsks
	TableStreams
	tableCount
)

var tableNames = [tableCount]string{"ended_sessions", "log_levels", "subscriptions", "credentials", "exchanges", "asks", "streams"}

// String gives the name for logs.
func (t Table) String() string { return tableNames[t] }

// Options bound a Memory. Zero fields take the defaults.
type Options struct {
	MaxEnded             int // sessions remembered as ended: 100 000
	MaxLogLevels         int // sessions that set a log level: 100 000
	MaxSubscriptions     int // resources one session subscribes to: 256
	MaxSubscriptionBytes int // their names' length: 64 KiB for one session
	MaxAllSubscriptions  int // bytes of all subscriptions of all sessions: 64 MiB
	MaxCredentialBytes   int // of all renewed credentials: 16 MiB
	MaxExchanges         int // exchanges at once: 100 000
	MaxAsks              int // asks waiting: 100 000
	MaxStreams           int // standing streams: 100 000

	// Full, when set, is called each time a bound is hit: after the oldest entry went to make room for a newer one (ended
	// sessions, log levels, a session's subscriptions), or when something was refused. It must not call the store.
	Full func(Table)
	// Now is the clock that tells which marks of ended sessions have outlived their use; nil is time.Now.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.MaxEnded, 100_000}, {&o.MaxLogLevels, 100_000}, {&o.MaxSubscriptions, 256}, {&o.MaxSubscriptionBytes, 64 << 10},
		{&o.MaxAllSubscriptions, 64 << 20}, {&o.MaxCredentialBytes, 16 << 20}, {&o.MaxExchanges, 100_000}, {&o.MaxAsks, 100_000}, {&o.MaxStreams, 100_000},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if o.Full == nil {
		o.Full = func(Table) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Memory is the Store of a single process. Make it with NewMemory.
type Memory struct {
	*mailbox
	o           Options
	ended       *table[time.Time]
	levels      *table[string]
	subs        *table[[]string] // sorted, never changed in place
	credentials *table[credential]
}

var _ Store = (*Memory)(nil)

// NewMemory makes an empty store.
func NewMemory(o Options) *Memory {
	o = o.withDefaults()
	m := &Memory{
		o:           o,
		ended:       newTable[time.Time](o.MaxEnded),
		levels:      newTable[string](o.MaxLogLevels),
		subs:        newTable[[]string](o.MaxAllSubscriptions),
		credentials: newTable[credential](o.MaxCredentialBytes),
	}
	m.mailbox = newMailbox(o, m.Ended)
	return m
}

// End implements Store.
func (m *Memory) End(id ID, until time.Time) {
	now := m.o.Now()
	m.ended.expire(func(t time.Time) bool { return !t.IsZero() && t.Before(now) })
	m.report(TableEnded, m.ended.set(id, until, 1))
	m.levels.remove(id)
	m.subs.remove(id)
	m.credentials.remove(id)
}

// Ended implements Store.
func (m *Memory) Ended(id ID) bool {
	_, ok := m.ended.get(id)
	return ok
}

// SetLogLevel implements Store.
func (m *Memory) SetLogLevel(id ID, level string) {
	m.report(TableLogLevels, m.levels.update(id, func(string) (string, int) {
		if m.Ended(id) { // marked before its level is removed: one of the two sees the other
			return "", 0
		}
		return level, 1
	}))
}

// LogLevel implements Store.
func (m *Memory) LogLevel(id ID) string {
	level, _ := m.levels.get(id)
	return level
}

// subscriptionCost is what an entry weighs beside its text, about.
const subscriptionCost = 64

// Subscribe implements Store.
func (m *Memory) Subscribe(id ID, uri string) error {
	var err error
	dropped := m.subs.update(id, func(have []string) ([]string, int) {
		at, found := slices.BinarySearch(have, uri)
		size := textSize(have)
		switch {
		case m.Ended(id):
			return nil, 0
		case found:
			return have, size + subscriptionCost*len(have)
		case len(have) == m.o.MaxSubscriptions || size+len(uri) > m.o.MaxSubscriptionBytes:
			err = ErrFull
			return have, size + subscriptionCost*len(have)
		}
		return slices.Concat(have[:at], []string{uri}, have[at:]), size + len(uri) + subscriptionCost*(len(have)+1)
	})
	if err != nil {
		m.o.Full(TableSubscriptions)
	}
	m.report(TableSubscriptions, dropped)
	return err
}

// Unsubscribe implements Store.
func (m *Memory) Unsubscribe(id ID, uri string) (was bool) {
	m.subs.update(id, func(have []string) ([]string, int) {
		at, found := slices.BinarySearch(have, uri)
		if was = found; found {
			have = slices.Concat(have[:at], have[at+1:])
		}
		return have, textSize(have) + subscriptionCost*len(have)
	})
	return was
}

// Subscriptions implements Store.
func (m *Memory) Subscriptions(id ID) []string {
	uris, _ := m.subs.get(id)
	return slices.Clone(uris)
}

func (m *Memory) report(t Table, times int) {
	for range times {
		m.o.Full(t)
	}
}

func textSize(s []string) (n int) {
	for _, t := range s {
		n += len(t)
	}
	return n
}
