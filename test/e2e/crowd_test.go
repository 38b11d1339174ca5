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

// Two thousand questions are open at once and answered in any order: none is lost, none
// reaches another call, and nothing is left behind.
func TestTwoThousandAsksAtOnce(t *testing.T) {
	const sessions, calls = 100, 20
	u, d := start(t, "", "")
	u.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
		if !a.IsRetry() {
			name := a.Name() // the ask is the call's own, so that a mix-up shows
			return mcptest.Reply{Result: mcptest.InputRequired(mcptest.Quote("s-"+name), mcptest.Form("q-"+name, "Who are you, "+name+"?", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`))}
		}
		return mcptest.Reply{Result: mcptest.Text(a.Name() + " " + string(a.State()) + " " + string(a.Param("inputResponses")))}
	})
	type call struct {
		client *mcptest.Client
		reply  *mcptest.Stream
		name   string
		ask    *mcptest.Message
	}
	all := make([]call, sessions*calls)
	var wg sync.WaitGroup
	for s := range sessions {
		client := mcptest.Connect(t, d.Endpoint(), mcptest.V20250618, mcptest.EveryCapability)
		for i := range calls {
			name := fmt.Sprintf("t%d-%d", s, i)
			all[s*calls+i] = call{client: client, name: name, reply: client.CallTool(fmt.Sprint(i), name, `{}`)} // every session has the same ids
		}
	}
	for i := range all {
		all[i].ask = all[i].reply.Ask("elicitation/create")
		if text := string(mcptest.Member(all[i].ask.Params, "message")); !strings.Contains(text, all[i].name+"?") {
			t.Fatalf("%s was asked %s", all[i].name, text)
		}
	}
	d.AwaitMetric(sessions*calls, "mrtr_proxy_round_trips_open")
	rand.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	for worker := range 16 {
		wg.Go(func() {
			for i := worker; i < len(all); i += 16 {
				c := all[i]
				if status := c.client.Answer(c.ask, `{"action":"accept","content":{"name":`+mcptest.Quote(c.name)+`}}`); status != http.StatusAccepted {
					t.Errorf("%s: answer: HTTP %d", c.name, status)
				}
			}
		})
	}
	wg.Wait()
	for _, c := range all {
		want := c.name + ` "s-` + c.name + `" {"q-` + c.name + `":{"action":"accept","content":{"name":"` + c.name + `"}}}`
		if m := c.reply.Response(); m.Text() != want {
			t.Fatalf("%s got %s", c.name, m.Raw)
		}
	}
	awaitQuiet(d)
	m := d.Metrics()
	for name, want := range map[string]float64{"mrtr_proxy_messages_dropped_total": 0, "mrtr_proxy_limit_trips_total": 0, "mrtr_proxy_asks_total": sessions * calls} {
		if got := m.Sum(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
