package legacy_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/mrtr-proxy/mrtr-proxy/internal/mcptest"
)

// A call that is cancelled before any byte went out ends as an empty event stream. An
// event with an id would bring the client back for a stream that is over.
func TestACancelledCallEndsAsAnEmptyStream(t *testing.T) {
	for _, version := range []string{mcptest.V20241105, mcptest.V20250326, mcptest.V20250618, mcptest.V20251125} {
		w := newWorld(t)
		client := w.connect(version)
		w.upstream.Handle("tools/call", mcptest.Always(mcptest.Reply{Write: func(out *mcptest.Writer) { out.Hold() }}))
		reply := client.CallTool(`"\u0041"`, "release", `{}`)
		a := w.upstream.Await("tools/call", 1)
		if status := client.Cancel(`"B"`); status != http.StatusAccepted {
			t.Errorf("cancelling what is not there: HTTP %d", status)
		}
		if status := client.Cancel(`"A"`); status != http.StatusAccepted {
			t.Errorf("cancel: HTTP %d", status)
		}
		a.AwaitCancelled(t)
		if err := reply.End(); err != nil || !reply.IsEvents() || len(reply.Events()) != 0 {
			t.Errorf("%s: HTTP %d, end %v: %q", version, reply.Status(), err, reply.Raw())
		}
		w.awaitQuiet()
	}
}

// A cancelled call that has asked withdraws its question and has no response.
func TestACancelledCallWithdrawsItsQuestions(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	reply, ask := asked(w, client)
	client.Cancel("1")
	m := reply.Notification("notifications/cancelled")
	if id := mcptest.Member(m.Params, "requestId"); string(id) != string(ask.ID) {
		t.Errorf("withdrawn %s, asked %s", id, ask.ID)
	}
	if m := reply.Next(); m != nil {
		t.Errorf("then %s", m.Raw)
	}
	if status := client.Answer(ask, rootsAnswer); status != http.StatusAccepted {
		t.Errorf("a late answer: HTTP %d", status)
	}
	w.awaitQuiet()
}

// Answer and cancellation of one call at the same time: it has a response or it has
// none, and nothing of it is left.
func TestAnswersAndCancellationsRace(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	w.upstream.Handle("tools/call", mcptest.Asking(`"s"`, mcptest.Roots("r")))
	for i := range 40 {
		id := fmt.Sprint(i)
		reply := client.CallTool(id, "release", `{}`)
		ask := reply.Ask("roots/list")
		var both sync.WaitGroup
		both.Go(func() { client.Answer(ask, rootsAnswer) })
		both.Go(func() { client.Cancel(id) })
		both.Wait()
		responses := 0
		for m := reply.Next(); m != nil; m = reply.Next() {
			if m.IsResponse() {
				responses++
			}
		}
		if err := reply.End(); err != nil || responses > 1 {
			t.Fatalf("%d responses, end %v", responses, err)
		}
		if m := client.Request(id, "ping", "").Response(); m.Result == nil { // the id is free again
			t.Fatalf("%s", m.Raw)
		}
	}
	w.awaitQuiet()
}

func TestAnIDIsUsedOnceAtATime(t *testing.T) {
	w := newWorld(t)
	client := w.connect(mcptest.V20250618)
	_, ask := asked(w, client)
	if m := client.Request("1", "ping", "").Response(); m.Code() != -32600 || string(m.ID) != "1" {
		t.Errorf("the same number: %s", m.Raw)
	}
	if m := client.Request(`"1"`, "ping", "").Response(); m.Result == nil {
		t.Errorf("the string of the same digits: %s", m.Raw)
	}
	other := w.connect(mcptest.V20250618)
	if m := other.Request("1", "ping", "").Response(); m.Result == nil {
		t.Errorf("the same number in another session: %s", m.Raw)
	}
	client.Answer(ask, rootsAnswer)
}

// DELETE ends what runs in the session, and nothing else.
func TestDeleteEndsWhatRuns(t *testing.T) {
	w := newWorld(t)
	client, other := w.connect(mcptest.V20250618), w.connect(mcptest.V20250618)
	reply, _ := asked(w, client)
	spared, ask := asked(w, other)
	standing := client.Listen()
	standing.AwaitComments(1)
	if status := client.Delete(); status != http.StatusNoContent {
		t.Errorf("DELETE: HTTP %d", status)
	}
	reply.Notification("notifications/cancelled")
	if m := reply.Next(); m != nil {
		t.Errorf("%s", m.Raw)
	}
	if err := standing.End(); err != nil {
		t.Errorf("the standing stream: %v", err)
	}
	other.Answer(ask, rootsAnswer)
	if m := spared.Response(); m.Result == nil {
		t.Errorf("%s", m.Raw)
	}
	w.awaitQuiet()
}
