package upstream

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

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
