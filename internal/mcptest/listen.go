package mcptest

import (
	"encoding/json"
	"strings"
)

// Listen is an open subscriptions/listen of an [Upstream].
type Listen struct {
	Attempt *Attempt
	Filter  json.RawMessage // params.notifications, as asked for
	send    chan string
	end     chan bool // true: with a response
	closed  chan struct{}
}

// serveListen acknowledges the whole filter and then passes on what Notify sends.
func (u *Upstream) serveListen(a *Attempt) Reply {
	return Reply{Write: func(w *Writer) {
		l := &Listen{Attempt: a, Filter: a.Param("notifications"), send: make(chan string), end: make(chan bool, 1), closed: make(chan struct{})}
		w.OpenStream()
		w.Event(l.notification("notifications/subscriptions/acknowledged", `"notifications":`+string(l.Filter)))
		u.update(func() { u.listens[l] = true })
		defer u.update(func() { delete(u.listens, l) })
		defer close(l.closed)
		for {
			select {
			case message := <-l.send:
				w.Event(message)
			case graceful := <-l.end:
				if graceful {
					w.Result(`{"resultType":"complete","_meta":{"` + MetaSubscriptionID + `":` + string(a.ID) + `}}`)
					return
				}
				w.Break()
			case <-a.gone:
				return
			case <-w.stopping:
				return
			}
		}
	}}
}

// Listens returns the listens that are open now.
func (u *Upstream) Listens() (open []*Listen) {
	u.look(func() { open = u.openListens() })
	return open
}

// AwaitListens waits until exactly n listens are open and returns them.
func (u *Upstream) AwaitListens(n int) (open []*Listen) {
	u.t.Helper()
	if !u.await(Patience, func() bool { open = u.openListens(); return len(open) == n }) {
		u.t.Fatalf("%d listens open after %v, want %d", len(open), Patience, n)
	}
	return open
}

func (u *Upstream) openListens() (open []*Listen) {
	for l := range u.listens {
		open = append(open, l)
	}
	return open
}

// Notify sends a notification; members are those of params, raw and without
// braces, "" for none. The subscription id is added. It reports false when the
// listen has ended.
func (l *Listen) Notify(method, members string) bool {
	select {
	case l.send <- l.notification(method, members):
		return true
	case <-l.closed:
		return false
	}
}

// End ends the listen: with a response, or by breaking its connection.
func (l *Listen) End(graceful bool) {
	select {
	case l.end <- graceful:
		<-l.closed
	case <-l.closed:
	}
}

func (l *Listen) notification(method, members string) string {
	params := []string{`"_meta":{"` + MetaSubscriptionID + `":` + string(l.Attempt.ID) + `}`}
	if members != "" {
		params = append(params, members)
	}
	return `{"jsonrpc":"2.0","method":` + Quote(method) + `,"params":{` + strings.Join(params, ",") + `}}`
}
