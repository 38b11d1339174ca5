package upstream

import (
	"time"

	"go.uber.org/zap"
)

// stands implements listener: the listen takes over from the one before.
func (s *share) stands(l *listen, honoured *filter) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.next != l {
		return
	}
	now := time.Now()
	s.next = nil
	if s.current != nil {
		s.old, s.overlap = s.current, newOverlap(now)
	} else {
		s.since = now
	}
	s.current = l
	if s.loud {
		s.loud = false
		s.hub.u.log.Info("upstream is listened to again")
	}
	s.compare(l.filter, honoured, now)
	switch {
	case s.deaf:
		s.deaf = false
		s.lookAgain(s.members)
	case len(s.catching) > 0:
		behind := map[*member]struct{}{}
		for _, m := range s.catching {
			if _, here := s.members[m]; here {
				behind[m] = struct{}{}
			}
		}
		s.lookAgain(behind)
	}
	s.catching = nil
	s.poke()
}

// compare says in the log what the server does not honour, once.
func (s *share) compare(asked, honoured *filter, now time.Time) {
	lists, resources := asked.refusal(honoured)
	differs := len(lists) > 0 || resources > 0
	if differs && !s.differs && s.hub.differing.rare(now) {
		s.hub.u.log.Warn("upstream does not announce all that it was asked to", zap.Strings("lists", lists), zap.Int("resources", resources))
	}
	s.differs = differs
}

// ended takes the end of a listen into account; err is nil when the server meant it.
func (s *share) ended(l *listen, err *Error) {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if s.ctx.Err() != nil {
		return
	}
	now := time.Now()
	var stood time.Duration
	switch l {
	case s.old:
		s.retire()
		s.poke()
		return
	case s.current:
		s.current, s.deaf, stood = nil, true, now.Sub(s.since)
	case s.next:
		s.next = nil
		s.deaf = s.deaf || s.current == nil
	default:
		return // it was not wanted any more
	}
	how := endingOf(err)
	if how == forbidden {
		switch u := s.hub.u; {
		case !u.o.Authorization.Forwards():
			how = unwanted
		default:
			s.asleep = !u.Accepted(s.who) // it may have been accepted since
		}
	}
	s.stale = true
	s.patience.note(how, l.filter, stood, now)
	s.report(how, err, now)
	s.poke()
}

// report says in the log that the server is not listened to: once until it is again, and not for every credential.
func (s *share) report(how ending, err *Error, now time.Time) {
	text := [...]string{
		brokeOff:  "upstream cannot be listened to for now",
		finished:  "upstream has ended the listen",
		unwanted:  "upstream does not take the listen",
		forbidden: "upstream does not take the credential of the listen any more",
	}[how]
	if log := s.hub.u.log; how != forbidden && !s.loud && s.hub.failing.rare(now) {
		s.loud = true
		log.Warn(text, zap.Error(orNil(err)))
	} else {
		log.Debug(text, zap.Error(orNil(err)))
	}
}

// orNil makes an error of an *Error, and nil of nil.
func orNil(err *Error) error {
	if err == nil {
		return nil
	}
	return err
}

// silence closes every listen: nothing is wanted.
func (s *share) silence() {
	s.retire()
	for _, l := range []*listen{s.current, s.next} {
		if l != nil {
			l.stop()
		}
	}
	s.current, s.next, s.deaf, s.catching = nil, nil, false, nil
}

// retire closes the listen that another has taken over from.
func (s *share) retire() {
	if s.old != nil {
		s.old.stop()
	}
	s.old, s.overlap = nil, nil
}
