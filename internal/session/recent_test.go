package session_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/session"
)

// What is remembered of an id is what it holds, not that it is good here and now.
func TestAnIDThatIsRememberedIsJudgedAnew(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	c := claims()
	token := session.SealClaims(s, "/mcp", c)
	for range 2 {
		got, err := open(s, token)
		if err != nil || got.ID != c.ID {
			t.Fatalf("%+v, %v", got, err)
		}
		if _, err := session.OpenClaims(s, "/mcp", token, issued.Add(2*time.Hour), time.Hour); !errors.Is(err, session.ErrExpired) {
			t.Errorf("when it is too old: %v", err)
		}
		if _, err := session.OpenClaims(s, "/other", token, issued, 0); !errors.Is(err, session.ErrForged) {
			t.Errorf("on another route: %v", err)
		}
		if _, err := open(sealer(t), token); !errors.Is(err, session.ErrForged) {
			t.Errorf("under another key: %v", err)
		}
		if _, err := open(s, token+"A"); !errors.Is(err, session.ErrForged) {
			t.Errorf("longer: %v", err)
		}
	}
}

// There are more sessions than are remembered.
func TestManySessionsKeepApart(t *testing.T) {
	t.Parallel()
	s := sealer(t)
	tokens, all := make([]string, 5000), make([]*session.Claims, 5000)
	for i := range tokens {
		all[i] = claims()
		tokens[i] = session.SealClaims(s, "/mcp", all[i])
	}
	var wg sync.WaitGroup
	for part := range 4 {
		wg.Go(func() {
			for range 2 {
				for i := part; i < len(tokens); i += 2 {
					if got, err := open(s, tokens[i]); err != nil || got.ID != all[i].ID {
						t.Errorf("session %d: %+v, %v", i, got, err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
}
