package upstream

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

const (
	lists = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}`
	listA = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["f://a"]}`
	both  = `{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["f://a","f://b"]}`
)

// soon lets changes that come together come together.
func soon() { time.Sleep(2 * together) }

func TestSessionsOfACredentialShareAListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		first, leave := s.come("").stand()
		soon()
		l := s.one(lists)
		second, leaveToo := s.come("").stand()
		other, leaveAsWell := s.come("Bearer other").stand()
		soon()
		if open := s.listens(); len(open) != 2 || open[0] != l || open[1].authorization != "Bearer other" {
			t.Fatalf("%d listens", len(open))
		}
		l.toolsChanged()
		l.say("notifications/prompts/list_changed", "")
		l.raw(fmt.Sprintf("{\"jsonrpc\":\"2.0\",\n\"method\":\"notifications/resources/list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"%s\"}}}", l.id))
		for _, e := range []*ear{first, second} {
			e.hears(t, "prompts", "resources", "tools")
		}
		other.hears(t)
		leave()
		leave()
		if open := s.listens(); len(open) != 2 {
			t.Fatalf("%d listens, one session is still there", len(open))
		}
		leaveToo()
		leaveAsWell()
		if open := s.listens(); len(open) != 0 {
			t.Fatalf("%d listens and nobody who wants them", len(open))
		}
	})
}

func TestAnUpdateGoesToThoseWhoAskedOnTheNewestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		a, b := s.come(""), s.come("")
		first, leave := a.stand()
		second, leaveToo := a.stand()
		other, leaveAsWell := b.stand()
		_, _ = a.want("f://a"), b.want("f://b", "f://b")
		soon()
		l := s.one(both)
		l.updated("f://a")
		first.hears(t)
		second.hears(t, "f://a")
		other.hears(t)
		leaveToo()
		l.updated("f://a")
		first.hears(t, "f://a")
		leave()
		l.updated("f://a")
		l.updated("f://b")
		other.hears(t, "f://b")
		if n := s.lost(metrics.DropNoStream); n != 1 {
			t.Errorf("%d messages lost for want of a stream", n)
		}
		l.updated("f://c")
		l.say("notifications/message", `"level":"info","data":1`)
		l.raw(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`)
		other.hears(t)
		if n := s.lost(metrics.DropUnmatched); n != 3 {
			t.Errorf("%d messages were not asked for, want 3", n)
		}
		first, leave = a.stand() // it comes back
		l.updated("f://a")
		first.hears(t, "f://a")
		if s.one(both) != l {
			t.Error("another listen")
		}
		leave()
		leaveAsWell()
	})
}

// An update may name a part of what was subscribed to.
func TestAPartOfAResourceIsUpdated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		whole, part, both, other := s.come(""), s.come(""), s.come(""), s.come("")
		wholeEar, l1 := whole.stand()
		partEar, l2 := part.stand()
		bothEar, l3 := both.stand()
		otherEar, l4 := other.stand()
		_, _, _, _ = whole.want("f://h/dir/"), part.want("f://h/dir/x"), both.want("f://h/dir", "f://h/dir/x"), other.want("f://h/di", "f://h/dir/xy", "f:", "f://")
		soon()
		l := s.listens()[0]
		l.updated("f://h/dir/x#top")
		wholeEar.hears(t, "f://h/dir/x#top")
		partEar.hears(t, "f://h/dir/x#top")
		bothEar.hears(t, "f://h/dir/x#top")
		otherEar.hears(t)
		for _, leave := range []func(){l1, l2, l3, l4} {
			leave()
		}
	})
}

func TestASessionWithoutAStreamIsListenedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		p := s.come("")
		_ = p.want("f://a")
		soon()
		const onlyA = `{"resourceSubscriptions":["f://a"]}`
		s.one(onlyA)
		time.Sleep(linger - time.Second)
		s.one(onlyA)
		_, leave := p.stand()
		time.Sleep(2 * linger)
		s.one(listA)
		leave()
		time.Sleep(linger - time.Second)
		s.one(onlyA)
		time.Sleep(2 * time.Second)
		if open := s.listens(); len(open) != 0 {
			t.Fatalf("%d listens for somebody who is long gone", len(open))
		}
		e, leave := p.stand()
		soon()
		s.one(listA).updated("f://a")
		e.hears(t, "f://a")
		s.up.Hub().Forget(p.id)
		if open := s.listens(); len(open) != 0 {
			t.Fatalf("%d listens for a session that was ended", len(open))
		}
		leave()
	})
}

func TestTheHubIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		p, q := s.come(""), s.come("")
		many := make([]string, maxFilter)
		for i := range many {
			many[i] = fmt.Sprint(i)
		}
		if err := p.want(many...); err != nil {
			t.Fatal(err)
		}
		if err := q.want("one more"); !errors.Is(err, ErrTooMany) {
			t.Errorf("%v", err)
		}
		if err := q.want("7"); err != nil {
			t.Errorf("one that is listened for already: %v", err)
		}
		if err := p.want("7"); err != nil {
			t.Error(err)
		}
		if err := q.want(strings.Repeat("x", maxFilterBytes)); !errors.Is(err, ErrTooMany) {
			t.Errorf("%v", err)
		}
		if err := q.want("one more"); err != nil {
			t.Error(err)
		}
		if n := s.lost(metrics.DropOverflow); n != 2 {
			t.Errorf("%d counted", n)
		}
	})
}

func TestCloseEndsEveryListenAndStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		p := s.come("")
		_ = p.want("f://a")
		e, leave := p.stand()
		soon()
		s.up.Close()
		if open := s.listens(); len(open) != 0 || !e.over() {
			t.Errorf("%d listens, the stream is over: %v", len(open), e.over())
		}
		leave()
		late, leave := p.stand()
		if !late.over() {
			t.Error("a stream that comes late is not told")
		}
		leave()
		if err := p.want("f://b"); err != nil {
			t.Error(err)
		}
	})
}
