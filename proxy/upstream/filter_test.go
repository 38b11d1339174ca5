package upstream

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestFilters(t *testing.T) {
	for _, c := range []struct {
		f       filter
		params  string
		honours string // of the acknowledgement
		lists   []string
		uris    int
	}{
		{filter{}, `{"notifications":{}}`, `{}`, nil, 0},
		{filter{tools: true}, `{"notifications":{"toolsListChanged":true}}`, `{"toolsListChanged":true,"x":1}`, nil, 0},
		{filter{tools: true, prompts: true, resources: true}, `{"notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true}}`, `{"promptsListChanged":"true"}`, []string{"tools", "prompts", "resources"}, 0},
		{filter{uris: []string{"a\"b", "é"}}, `{"notifications":{"resourceSubscriptions":["a\"b","é"]}}`, `{"resourceSubscriptions":["\u00e9",7,"z"]}`, nil, 1},
		{filter{prompts: true, uris: []string{"a"}}, `{"notifications":{"promptsListChanged":true,"resourceSubscriptions":["a"]}}`, `null`, []string{"prompts"}, 1},
		{filter{uris: []string{"a"}}, `{"notifications":{"resourceSubscriptions":["a"]}}`, `{"resourceSubscriptions":"a"}`, nil, 1},
	} {
		if got := string(c.f.params()); got != c.params {
			t.Errorf("params %s, want %s", got, c.params)
		}
		if lists, uris := c.f.refusal(readFilter([]byte(c.honours))); !slices.Equal(lists, c.lists) || uris != c.uris {
			t.Errorf("%s leaves out of %s: %v and %d, want %v and %d", c.honours, c.params, lists, uris, c.lists, c.uris)
		}
	}
}

// Whatever two listens bring in whatever order, each piece of news passes once: those from before the new one stood come on
// the old one alone.
func TestAnOverlapPassesEachPieceOfNewsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	now := time.Unix(0, 0)
	for range 2000 {
		before, since := r.IntN(4), r.IntN(4)
		o, passed := newOverlap(now), map[string]int{}
		old, young := before+since, since
		for old+young > 0 {
			fromOld := young == 0 || old > 0 && r.IntN(2) == 0
			if fromOld {
				old--
			} else {
				young--
			}
			if o.pass(fromOld, "k", now) {
				passed["k"]++
			}
		}
		if passed["k"] != before+since {
			t.Fatalf("%d before and %d since: %d passed", before, since, passed["k"])
		}
	}
}

func TestAnOverlapIsBounded(t *testing.T) {
	now := time.Unix(0, 0)
	o := newOverlap(now)
	for i := range overlapKeys + 10 {
		o.pass(true, fmt.Sprint(i), now)
	}
	if len(o.old) > overlapKeys || !o.pass(false, fmt.Sprint(overlapKeys+1), now) {
		t.Errorf("%d keys are counted", len(o.old))
	}
	o = newOverlap(now)
	for at := now; at.Before(now.Add(time.Hour)); at = at.Add(100 * time.Millisecond) {
		o.pass(true, "k", at)
		o.pass(false, "k", at)
	}
	if took := o.until.Sub(now); took != overlapMost {
		t.Errorf("the old listen is read for %v", took)
	}
}
