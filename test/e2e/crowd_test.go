package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// The crowd: asks of one call, calls of one session, sessions.
const (
	crowdAsks, crowdCalls, crowdSessions = 16, 5, 25
	crowd                                = crowdAsks * crowdCalls * crowdSessions
)

// crowdCall is one call; everything about it has its name, so that a mix-up shows.
type crowdCall struct {
	client *mcptest.Client
	reply  *mcptest.Stream
	name   string
}

type crowdAsk struct {
	*crowdCall
	ask  *mcptest.Message
	text string // of the question
}

func crowdScript(a *mcptest.Attempt) mcptest.Reply {
	if a.IsRetry() {
		return mcptest.Reply{Result: mcptest.Text(a.Name() + " " + string(a.State()) + " " + string(a.Param("inputResponses")))}
	}
	var asks []mcptest.Ask
	for i := range crowdAsks {
		asks = append(asks, mcptest.Form(fmt.Sprintf("q%d", i), fmt.Sprintf("%s/%d", a.Name(), i), `{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}`))
	}
	return mcptest.Reply{Result: mcptest.InputRequired(mcptest.Quote("state of "+a.Name()), asks...)}
}

// Two thousand questions are open at once and answered in any order: none is lost, none
// reaches another call, and nothing is left behind.
func TestTwoThousandAsksAtOnce(t *testing.T) {
	u, d := start(t, "", "")
	u.Handle("tools/call", crowdScript)
	var calls []*crowdCall
	for s := range crowdSessions {
		client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
		for i := range crowdCalls { // every session has the same ids
			name := fmt.Sprintf("s%d-c%d", s, i)
			calls = append(calls, &crowdCall{client, client.CallTool(fmt.Sprint(i), name, `{}`), name})
		}
	}
	var asks []crowdAsk
	for _, c := range calls {
		for range crowdAsks {
			m := c.reply.Ask("elicitation/create")
			text := strings.Trim(string(mcptest.Member(m.Params, "message")), `"`)
			if !strings.HasPrefix(text, c.name+"/") {
				t.Fatalf("%s was asked %s", c.name, text)
			}
			asks = append(asks, crowdAsk{c, m, text})
		}
	}
	d.AwaitMetric(crowdCalls*crowdSessions, "mrtr_proxy_round_trips_open")
	rand.Shuffle(len(asks), func(i, k int) { asks[i], asks[k] = asks[k], asks[i] })
	var wg sync.WaitGroup
	const workers = 16
	for worker := range workers {
		wg.Go(func() {
			for i := worker; i < len(asks); i += workers {
				a := asks[i]
				if status := a.client.Answer(a.ask, `{"action":"accept","content":{"to":`+mcptest.Quote(a.text)+`}}`); status != http.StatusAccepted {
					t.Errorf("%s: answer: HTTP %d", a.text, status)
				}
			}
		})
	}
	wg.Wait()
	for _, c := range calls {
		want := c.name + ` "state of ` + c.name + `" {`
		for i := range crowdAsks {
			want += fmt.Sprintf(`"q%d":{"action":"accept","content":{"to":"%s/%d"}},`, i, c.name, i)
		}
		if m := c.reply.Response(); m.Text() != strings.TrimSuffix(want, ",")+"}" {
			t.Fatalf("%s got %s", c.name, m.Raw)
		}
	}
	awaitQuiet(d)
	m := d.Metrics()
	for name, want := range map[string]float64{"mrtr_proxy_messages_dropped_total": 0, "mrtr_proxy_limit_trips_total": 0, "mrtr_proxy_asks_total": crowd} {
		if got := m.Sum(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
