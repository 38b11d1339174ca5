package upstream

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

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
		stood := make(chan struct{})
		s.set(func() {
			s.listen = func(l *spoken) { <-stood; l.acknowledge() }
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
		close(stood)
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
		if err := s.up.attempt(t.Context(), call, Retry{}, &probe{}, new(Result)); err == nil || err.Reason != Unauthorized {
			t.Fatal(err)
		}
		s.set(func() { s.refuse = nil })
		if err := s.up.attempt(t.Context(), call, Retry{}, &probe{}, new(Result)); err != nil {
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
