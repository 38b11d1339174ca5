package upstream

import (
	"fmt"
	"net/http"
	"slices"
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

// What the server does not offer is not asked for.
func TestOnlyWhatIsOfferedIsListenedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		s.capabilities = `{"tools":{"listChanged":true},"prompts":{},"resources":{}}`
		p := s.come("")
		_, leave := p.stand()
		defer leave()
		if err := p.want("f://a"); err != nil {
			t.Fatal(err)
		}
		soon()
		s.one(`{"toolsListChanged":true}`)

		s.set(func() { s.capabilities = `{"tools":{}}` })
		other := s.come("Bearer x")
		_, leave = other.stand()
		soon()
		s.one(`{"toolsListChanged":true}`)
		time.Sleep(2 * time.Minute)
		s.set(func() { s.capabilities = everythingChanges })
		_, leaveToo := other.stand() // the same session: nothing new
		_, leaveAsWell := s.come("Bearer x").stand()
		soon()
		if open := s.listens(); len(open) != 2 || open[1].filter != lists {
			t.Errorf("%d listens: the server has begun to offer something", len(open))
		}
		leave()
		leaveToo()
		leaveAsWell()
	})
}

func TestAChangedFilterIsANewListenBeforeTheOldOneEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		p := s.come("")
		e, leave := p.stand()
		defer leave()
		soon()
		old := s.one(lists)
		go_ := make(chan struct{})
		s.set(func() {
			s.listen = func(l *spoken) { <-go_; l.acknowledge() }
		})
		if err := p.want("f://a"); err != nil {
			t.Fatal(err)
		}
		soon()
		old.toolsChanged() // the new one does not stand yet
		e.hears(t, "tools")
		open := s.listens()
		if len(open) != 2 || open[1].filter != listA {
			t.Fatalf("%d listens", len(open))
		}
		young := open[1]
		close(go_)
		synctest.Wait()

		old.toolsChanged() // on its way since before the new one stood
		e.hears(t, "tools")
		young.updated("f://a")
		e.hears(t, "f://a")
		young.say("notifications/prompts/list_changed", "") // on both
		old.say("notifications/prompts/list_changed", "")
		e.hears(t, "prompts")
		young.toolsChanged() // the old one has brought one before: this is another, which it brings too
		old.toolsChanged()
		e.hears(t, "tools")

		time.Sleep(2 * overlapMost)
		if s.one(listA) != young {
			t.Error("the old listen stayed")
		}
		if n := len(s.every()); n != 2 {
			t.Errorf("%d listens in all", n)
		}
	})
}

func TestChangesThatComeTogetherAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		var leave []func()
		for i := range 50 {
			p := s.come("")
			_, l := p.stand()
			leave = append(leave, l)
			if err := p.want(fmt.Sprintf("f://%02d", i)); err != nil {
				t.Fatal(err)
			}
		}
		soon()
		if n := len(s.every()); n != 1 {
			t.Errorf("%d listens, want one for all", n)
		}
		p := s.come("")
		for i := range 50 { // over more than a second
			if err := p.want(fmt.Sprintf("g://%d", i)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(25 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if n := len(s.every()); n > 8 {
			t.Errorf("%d listens for changes of little more than a second", n)
		}
		if open := s.listens(); len(open) != 1 || !strings.Contains(open[0].filter, "g://49") || strings.Contains(open[0].filter, "g://48") {
			t.Errorf("%d listens open, want one for what is wanted last", len(open))
		}
		for _, l := range leave {
			l()
		}
	})
}

func TestAListenIsOpenedAgainWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		p := s.come("")
		_ = p.want("f://a", "f://b")
		e, leave := p.stand()
		defer leave()
		soon()
		s.one(both)
		e.hears(t)
		began := time.Now()
		s.set(func() { s.listen = (*spoken).breakOff })
		s.listens()[0].breakOff()
		time.Sleep(10 * time.Minute)
		all := s.every()[1:]
		if n := len(all); n < 18 || n > 60 {
			t.Errorf("%d listens in ten minutes", n)
		}
		for i, l := range all {
			most := min(backoffLeast<<min(i, 10), backoffMost)
			if pause := l.at.Sub(began); pause < most/2 || pause > most {
				t.Errorf("pause %d was %v, want %v to %v", i, pause, most/2, most)
			}
			began = l.at
		}
		e.hears(t)
		s.set(func() { s.listen = nil })
		time.Sleep(backoffMost)
		s.one(both)
		e.hears(t, "f://a", "f://b", "prompts", "resources", "tools")

		time.Sleep(steady)
		s.listens()[0].breakOff()
		time.Sleep(backoffLeast)
		s.one(both)
		e.hears(t, "f://a", "f://b", "prompts", "resources", "tools")
		warned := s.log.FilterMessage("upstream cannot be listened to for now").FilterLevelExact(1).Len()
		if again := s.log.FilterMessage("upstream is listened to again").Len(); warned != 2 || again != 2 {
			t.Errorf("the log says %d times that the server is gone and %d times that it is back", warned, again)
		}
	})
}

// A server that means to end its listens is left alone, unless something else is wanted.
func TestAMeantEndIsHonoured(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*spoken)
	}{
		{"a result", (*spoken).finish},
		{"a cancellation", func(l *spoken) { l.say("notifications/cancelled", `"requestId":`+l.id); l.out.Close() }},
		{"an error", func(l *spoken) {
			l.raw(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"too many"}}`, l.id))
			l.out.Close()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := speak(t)
				p := s.come("")
				e, leave := p.stand()
				defer leave()
				soon()
				c.end(s.one(lists))
				time.Sleep(rest - time.Second)
				if open := s.listens(); len(open) != 0 {
					t.Fatal("opened again")
				}
				_, leaveToo := s.come("").stand() // wants the same
				defer leaveToo()
				soon()
				if open := s.listens(); len(open) != 0 {
					t.Fatal("opened again for one more session")
				}
				time.Sleep(rest / 2)
				l := s.one(lists)
				e.hears(t, "prompts", "resources", "tools")

				c.end(l)
				_ = p.want("f://a")
				time.Sleep(4 * backoffLeast)
				s.one(listA)
				e.hears(t, "f://a", "prompts", "resources", "tools")
			})
		})
	}
}

func TestAListenThatIsNotAcknowledgedIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		s.listen = func(*spoken) {}
		e, leave := s.come("").stand()
		defer leave()
		time.Sleep(30 * time.Second)
		first := s.one(lists)
		time.Sleep(32 * time.Second)
		s.set(func() { s.listen = nil })
		if s.one(lists) == first {
			t.Fatal("it is still waited for")
		}
		s.listens()[0].toolsChanged() // as good as an acknowledgement
		e.hears(t, "prompts", "resources", "tools", "tools")
	})
}

func TestSilenceIsNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		e, leave := s.come("").stand()
		defer leave()
		soon()
		l := s.one(lists)
		time.Sleep(48 * time.Hour)
		if s.one(lists) != l {
			t.Error("not the same any more")
		}
		l.toolsChanged()
		e.hears(t, "tools")
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
		e, leave := p.stand()
		time.Sleep(2 * linger)
		s.one(listA)
		leave()
		time.Sleep(linger - time.Second)
		s.one(onlyA)
		time.Sleep(2 * time.Second)
		if open := s.listens(); len(open) != 0 {
			t.Fatalf("%d listens for somebody who is long gone", len(open))
		}
		e, leave = p.stand()
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

func TestARefusedCredentialIsListenedUnderAgainOnceItIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		p := s.come("Bearer old")
		_ = p.want("f://a")
		e, leave := p.stand()
		defer leave()
		soon()
		l := s.one(listA)
		s.set(func() {
			s.refuse = func(q seen) *http.Response {
				if q.header.Get("Authorization") == "Bearer old" {
					return answered(401, "")
				}
				return nil
			}
		})
		l.breakOff()
		time.Sleep(time.Hour)
		if n := len(s.every()); n > 2 {
			t.Errorf("%d listens under a credential that is not taken", n)
		}
		call := s.up.discovery(p.cred)
		if _, err := s.up.attempt(t.Context(), call, Retry{}, &probe{}); err == nil || err.Reason != Unauthorized {
			t.Fatal(err)
		}
		s.set(func() { s.refuse = nil })
		if _, err := s.up.attempt(t.Context(), call, Retry{}, &probe{}); err != nil {
			t.Fatal(err)
		}
		soon()
		s.one(listA)
		e.hears(t, "f://a", "prompts", "resources", "tools")
	})
}

func TestASessionIsListenedUnderTheNewestCredentialThatWasAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		p, stays := s.come("Bearer one"), s.come("Bearer one")
		_ = p.want("f://a")
		e, leave := p.stand()
		defer leave()
		stayed, leaveToo := stays.stand()
		defer leaveToo()
		soon()
		one := s.one(listA)
		two := s.come("Bearer two").cred
		s.up.Hub().Renew(p.id, two) // nobody has accepted it
		soon()
		if s.one(listA) != one {
			t.Fatal("another listen")
		}
		if _, err := s.up.Discover(t.Context(), two); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		open := s.listens()
		at := slices.IndexFunc(open, func(l *spoken) bool { return l.authorization == "Bearer two" })
		if len(open) != 2 || at < 0 || open[at].filter != listA || open[1-at].filter != lists {
			t.Fatalf("%d listens", len(open))
		}
		e.hears(t, "f://a", "prompts", "resources", "tools") // it may have missed something
		stayed.hears(t)
		open[1-at].toolsChanged()
		e.hears(t)
		stayed.hears(t, "tools")
		s.up.Hub().Renew(p.id, stays.cred) // accepted already
		time.Sleep(time.Second)
		s.one(listA)
		e.hears(t, "f://a", "prompts", "resources", "tools")
	})
}

func TestWhatTheServerDoesNotHonourIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := speak(t)
		s.listen = func(l *spoken) {
			l.say("notifications/subscriptions/acknowledged", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["f://b"]}`)
		}
		p := s.come("")
		_, leave := p.stand()
		defer leave()
		for i := range 5 {
			_ = p.want("f://a", "f://b", fmt.Sprint(i))
			time.Sleep(time.Minute)
		}
		said := s.log.FilterMessage("upstream does not announce all that it was asked to").All()
		if len(said) != 1 || fmt.Sprint(said[0].ContextMap()["lists"]) != "[prompts resources]" || said[0].ContextMap()["resources"] != int64(2) {
			t.Errorf("the log says %v", said)
		}
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
		if err := q.want("one more"); err != ErrTooMany {
			t.Errorf("%v", err)
		}
		if err := q.want("7"); err != nil {
			t.Errorf("one that is listened for already: %v", err)
		}
		if err := p.want("7"); err != nil {
			t.Error(err)
		}
		if err := q.want(strings.Repeat("x", maxFilterBytes)); err != ErrTooMany {
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
