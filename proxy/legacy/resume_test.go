package legacy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
	"github.com/mrtr-proxy/mrtr-proxy/proxy"
)

// asked starts a call that asks for roots, and waits for the question.
func asked(w *world, c *mcptest.Client) (*mcptest.Stream, *mcptest.Message) {
	w.t.Helper()
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	reply := c.CallTool("1", "release", `{}`)
	return reply, reply.Ask("roots/list")
}

// awaitDropped waits until the proxy knows that a client is gone.
func (w *world) awaitDropped() {
	w.t.Helper()
	mcptest.Eventually(w.t, "the stream is counted out", func() bool { return w.sum("streams_open") == 0 })
}

func TestAStreamIsResumedInTheMiddleOfAnAsk(t *testing.T) {
	for _, version := range []string{mcptest.V20250326, mcptest.V20250618, mcptest.V20251125} {
		t.Run(version, func(t *testing.T) {
			w := newWorld(t)
			client := w.connect(version)
			reply, ask := asked(w, client)
			reply.Drop()
			w.awaitDropped()
			rest := client.Resume(ask.EventID)
			if !rest.IsEvents() {
				t.Fatalf("HTTP %d", rest.Status())
			}
			if status := client.Answer(ask, rootsAnswer); status != http.StatusAccepted {
				t.Errorf("answer: HTTP %d", status)
			}
			if m := rest.Response(); string(m.ID) != "1" || !strings.Contains(m.Text(), "file:///srv") {
				t.Errorf("%s", m.Raw)
			}
			if err := rest.End(); err != nil {
				t.Errorf("end: %v", err)
			}
			w.awaitQuiet()
		})
	}
}

func TestAQuestionThatWasMissedComesAgain(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20251125)
	reply, ask := asked(w, client)
	reply.Drop()
	w.awaitDropped()
	first := strings.TrimSuffix(reply.Events()[0].ID, "-0") + "-0"
	again := client.Resume(first).Ask("roots/list")
	if string(again.ID) != string(ask.ID) || again.EventID != ask.EventID {
		t.Errorf("asked %s %s, then %s %s", ask.EventID, ask.ID, again.EventID, again.ID)
	}
}

func TestAResponseThatWasMissedIsKept(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	reply, ask := asked(w, client)
	reply.Drop()
	w.awaitDropped()
	client.Answer(ask, rootsAnswer)
	w.upstream.Await("tools/call", 2)
	mcptest.Eventually(t, "the exchange is over", func() bool { return w.sum("requests_total", "method", "tools/call") == 1 })
	for _, reply := range []*mcptest.Stream{client.Resume(ask.EventID)} {
		if m := reply.Response(); string(m.ID) != "1" || m.Result == nil {
			t.Errorf("%s", m.Raw)
		}
	}
	// It has been delivered: there is nothing to come back for, and a standing stream is
	// what a GET is for then.
	late := client.Resume(ask.EventID)
	if late.Status() != http.StatusOK || late.Within(50*time.Millisecond) != nil {
		t.Errorf("resumed once more: HTTP %d %s", late.Status(), late.Raw())
	}
	late.Drop()
	w.awaitQuiet()
}

func TestAStreamIsResumedTwice(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	reply, ask := asked(w, client)
	second := client.Resume(ask.EventID) // while the first connection still stands
	second.Status()
	third := client.Resume(ask.EventID)
	third.Status()
	if m := second.Next(); m != nil {
		t.Errorf("the second connection got %s", m.Raw)
	}
	client.Answer(ask, rootsAnswer)
	if m := third.Response(); m.Result == nil {
		t.Errorf("%s", m.Raw)
	}
	if m := reply.Next(); m != nil {
		t.Errorf("the first connection got %s", m.Raw)
	}
	w.awaitQuiet()
}

func TestAStreamIsNotResumed(t *testing.T) {
	for _, c := range []struct {
		name   string
		id     func(string) string
		client func(*world, *mcptest.Client) *mcptest.Client
	}{
		{"of another session", same, func(w *world, _ *mcptest.Client) *mcptest.Client { return w.connect(mcptest.V20250618) }},
		{"by an id that was never given", func(string) string { return "AAAAAAAAAAAAAAAAAAAAAAAAAA-1" }, own},
		{"by an id without a number", func(id string) string { id, _, _ = strings.Cut(id, "-"); return id }, own},
		{"by a negative number", func(id string) string { return strings.Replace(id, "-", "--", 1) }, own},
		{"by a number that is none", func(id string) string { return id + "99999999999999999999" }, own},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			client := w.connect(mcptest.V20250618)
			reply, ask := asked(w, client)
			stranger := c.client(w, client).Resume(c.id(ask.EventID))
			if stranger.Status() != http.StatusOK || stranger.Within(20*time.Millisecond) != nil {
				t.Errorf("HTTP %d %s", stranger.Status(), stranger.Raw())
			}
			client.Answer(ask, rootsAnswer)
			if m := reply.Response(); m == nil || m.Result == nil {
				t.Error("the stream has moved")
			}
		})
	}
}

func same(id string) string                                { return id }
func own(_ *world, client *mcptest.Client) *mcptest.Client { return client }

func TestNothingIsLeftWhenNobodyComesBack(t *testing.T) {
	for _, c := range []struct {
		name     string
		version  string
		window   time.Duration
		answered bool
	}{
		{"while the question is open", mcptest.V20251125, 30 * time.Millisecond, false},
		{"after the answer", mcptest.V20251125, 300 * time.Millisecond, true},
		{"without a window", mcptest.V20251125, 0, false},
		{"in a revision without resumption", mcptest.V20241105, time.Minute, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, func(o *proxy.Options) { o.ResumeWindow = c.window })
			client := w.connect(c.version)
			hold := make(chan struct{})
			w.upstream.Handle("tools/call", func(a *mcptest.Attempt) mcptest.Reply {
				if a.IsRetry() {
					return mcptest.Reply{Write: func(out *mcptest.Writer) { out.Wait(hold); out.OpenStream(); out.Result(mcptest.Text("late")) }}
				}
				return mcptest.Reply{Result: mcptest.InputRequired(`"s"`, mcptest.Roots("r"))}
			})
			reply := client.CallTool("1", "release", `{}`)
			ask := reply.Ask("roots/list")
			if resumable := c.window > 0 && c.version != mcptest.V20241105; (ask.EventID != "") != resumable {
				t.Errorf("event id %q", ask.EventID)
			}
			if c.answered {
				client.Answer(ask, rootsAnswer)
				w.upstream.Await("tools/call", 2)
			}
			reply.Drop()
			if c.answered {
				w.upstream.Await("tools/call", 2).AwaitCancelled(t)
			}
			w.awaitQuiet()
			mcptest.Eventually(t, "the exchange is cancelled", func() bool { return w.sum("requests_total", "outcome", "cancelled") == 1 })
			if status := client.Answer(ask, rootsAnswer); status != http.StatusAccepted {
				t.Errorf("a late answer: HTTP %d", status)
			}
			close(hold)
		})
	}
}

func TestThePrimingEventIsForTheNewestRevisionOnly(t *testing.T) {
	for version, primed := range map[string]bool{mcptest.V20241105: false, mcptest.V20250326: false, mcptest.V20250618: false, mcptest.V20251125: true} {
		w := newWorld(t)
		reply, _ := asked(w, w.connect(version))
		first := reply.Events()[0]
		if got := first.Data == "" && first.Had && strings.HasSuffix(first.ID, "-0"); got != primed {
			t.Errorf("%s: first event %+v", version, first)
		}
	}
}

// A reply that never became a stream cannot be resumed: its exchange ends with it.
func TestADropBeforeTheStreamCancelsUpstream(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20251125)
	w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Write: func(out *mcptest.Writer) { out.Hold() }}))
	reply := client.CallTool("1", "release", `{}`)
	a := w.upstream.Await("tools/call", 1)
	reply.Drop()
	a.AwaitCancelled(t)
	w.awaitQuiet()
}
