package upstream

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mrtr-proxy/mrtr-proxy/internal/metrics"
)

// Notifications of the attempt go on in order; what else a server sends on a stream goes no further and is counted.
func TestEvents(t *testing.T) {
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":TOKEN,"progress":1}}`
	message := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`
	final := result(done)
	for _, tc := range []struct {
		name   string
		stream []string
		notes  int
		drops  map[metrics.DropReason]int
	}{
		{"comments, ids, retries, priming, other types", []string{":\r\n\r\n", "id: 0\r\nretry: 3000\r\ndata:\r\n\r\n", ": ping\r\n", "event: message\r\ndata:" + progress + "\r\n\r\n", "event: other\r\ndata: {\r\n\r\n", "data: " + final[:20], final[20:] + "\r\n\r\n"}, 1, nil},
		{"both kinds", []string{"data: " + progress + "\n\ndata: " + message + "\n\n", "data: " + progress + "\n\ndata: " + final + "\n\n"}, 3, nil},
		{"a response over many lines", []string{"data: {\ndata: \"jsonrpc\":\"2.0\",\"id\":ID,\ndata: \"result\":" + done + "\ndata: }\n\n"}, 0, nil},
		{"carriage returns", []string{"data: " + final + "\r\r"}, 0, nil},
		{"a byte order mark", []string{"\ufeffdata: " + final + "\n\n"}, 0, nil},
		{"a request of the server", []string{`data: {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}` + "\n\n", "data: " + final + "\n\n"}, 0, map[metrics.DropReason]int{metrics.DropServerRequest: 1}},
		{"progress of another token", []string{strings.Replace("data: "+progress+"\n\n", "TOKEN", `"TOKEN"`, 1), "data: " + final + "\n\n"}, 0, map[metrics.DropReason]int{metrics.DropUnmatched: 1}},
		{"a notification of a listen", []string{`data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n\n", "data: " + final + "\n\n"}, 0, map[metrics.DropReason]int{metrics.DropUnmatched: 1}},
		{"no JSON", []string{"data: ping\n\n", "data: " + final + "\n\n"}, 0, map[metrics.DropReason]int{metrics.DropMalformed: 1}},
		{"more after the response", []string{"data: " + final + "\n\ndata: " + message + "\n\n"}, 0, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			drops := map[metrics.DropReason]int{}
			u := to(t, serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				for _, part := range tc.stream {
					_, _ = io.WriteString(w, fill(part, q))
					flush(w)
				}
			}), func(o *Options) { o.Dropped = func(_ metrics.Direction, why metrics.DropReason) { drops[why]++ } })
			c := toolCall(t)
			c.Progress = true
			got, res, err := try(t, u, c, Retry{})
			if err != nil || res.Outcome != Complete || len(got.replies) != 1 || len(got.notes) != tc.notes {
				t.Fatalf("%+v %+v, notes %q, replies %q", err, res, got.notes, got.replies)
			}
			if fmt.Sprint(drops) != fmt.Sprint(tc.drops) {
				t.Errorf("dropped %v, want %v", drops, tc.drops)
			}
		})
	}
}

// Without a token there is no progress to pass on.
func TestProgressNobodyAskedFor(t *testing.T) {
	u := to(t, serve(t, say(200, "text/event-stream", `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":ID,"progress":1}}`+"\n\ndata: "+result(done)+"\n\n")))
	if got, _, err := try(t, u, toolCall(t), Retry{}); err != nil || len(got.notes) != 0 {
		t.Errorf("%+v, notes %q", err, got.notes)
	}
}

// Comments and bytes are signs of life: a call outlives the time of silence as long as they come, and no longer.
func TestSignsOfLife(t *testing.T) {
	for _, tc := range []struct {
		name        string
		contentType string
		parts       []string
		pause       time.Duration
		want        Reason
	}{
		{"comments", "text/event-stream", []string{": a\n", ": b\n", ": c\n", "data: FINAL\n\n"}, 59 * time.Second, 0},
		{"pieces of an event", "text/event-stream", []string{"data:", " ", " ", " FINAL\n\n"}, 59 * time.Second, 0},
		{"pieces of JSON", "application/json", []string{" ", " ", " ", "FINAL"}, 59 * time.Second, 0},
		{"too slow", "text/event-stream", []string{": a\n", ": b\n", "data: FINAL\n\n"}, 61 * time.Second, Timeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := Options{URL: mustParse("http://server.example/mcp"), CallTimeout: time.Minute}
			o.Transport = roundTrip(func(r *http.Request) *http.Response {
				sent, _ := io.ReadAll(r.Body)
				q := parse(r, sent)
				body, w := io.Pipe()
				stop := context.AfterFunc(r.Context(), func() { w.CloseWithError(context.Canceled) })
				go func() {
					defer stop()
					for _, part := range tc.parts {
						select {
						case <-time.After(tc.pause):
						case <-r.Context().Done():
							_ = w.CloseWithError(context.Canceled) // before stop keeps the other from doing it
							return
						}
						_, _ = io.WriteString(w, strings.Replace(part, "FINAL", fill(result(done), q), 1))
					}
					_ = w.Close()
				}()
				return &http.Response{StatusCode: 200, ProtoMajor: 2, Header: http.Header{"Content-Type": {tc.contentType}}, Body: body, ContentLength: -1}
			})
			u := New(o)
			defer u.Close()
			_, res, err := try(t, u, toolCall(t), Retry{})
			if tc.want == 0 && (err != nil || res.Outcome != Complete) || tc.want != 0 && (err == nil || err.Reason != tc.want) {
				t.Errorf("%s: %+v %+v", tc.name, err, res)
			}
		})
	}
}

// A server that does not end its stream after the response holds nobody up.
func TestStreamLeftOpen(t *testing.T) {
	var wg sync.WaitGroup
	wg.Add(1)
	u := to(t, serve(t, func(w http.ResponseWriter, r *http.Request, q seen) {
		defer wg.Done()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, fill("data: "+result(done)+"\n\n", q))
		flush(w)
		gone(r)
	}))
	begun := time.Now()
	if _, res, err := try(t, u, toolCall(t), Retry{}); err != nil || res.Outcome != Complete {
		t.Errorf("%+v %+v", err, res)
	}
	if d := time.Since(begun); d > time.Second {
		t.Errorf("took %v", d)
	}
	wg.Wait() // the server saw the connection closed
}
